import { openRollcall } from "../../src/index.ts";

const BATCH = 250;
/** Reading all of it whole would take many times this. */
const MOST_GROWTH_MB = 150;

/** One session with very many events: read by cursor in order, without holding them; returns what is wrong. */
export async function longSession(home: string, count: number): Promise<string[]> {
  await using rollcall = await openRollcall({ home, cwd: home });
  await rollcall.create({ id: "long", file: false });
  for (let done = 0; done < count; done += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, (_, n) => rollcall.update("long", { metadata: { step: done + n } })),
    );
  }
  const before = process.memoryUsage.rss();
  let seq = 0;
  let most = before;
  for await (const event of rollcall.events("long")) {
    if (event.seq !== seq + 1) return [`seq ${event.seq} follows ${seq}`];
    seq = event.seq;
    if (seq % 10_000 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  const growthMb = Math.round((most - before) / 1e6);
  const { problems } = await rollcall.verify();
  console.log(`${seq} events of one session read in order; memory grew by ${growthMb} MB meanwhile.`);
  return [
    ...(seq === count + 1 ? [] : [`${seq} events were read of ${count + 1}`]),
    ...(growthMb <= MOST_GROWTH_MB ? [] : [`reading took ${growthMb} MB`]),
    ...(problems.length === 0 ? [] : [`verify found ${problems.length} problems`]),
  ];
}
