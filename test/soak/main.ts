// Makes, works on, ends and removes sessions for a long time, and looks whether anything piles up.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openRollcall, type Rollcall, Session } from "../../src/index.ts";
import { liveCycles } from "./live-cycles.ts";
import { longSession } from "./long-session.ts";

const isShort = process.argv.includes("--short");
const ROUNDS = isShort ? 6 : 60;
const SESSIONS = isShort ? 100 : 500;
const EVENTS = isShort ? 50_000 : 1_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const place = mkdtempSync(join(tmpdir(), "rollcall-soak-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
mkdirSync(join(place, "project"));

const rollcall = await openRollcall({ home: join(place, "home"), cwd: join(place, "project") });
const readings: {
  keptMb: number;
  rssMb: number;
  outsideHeapMb: number;
  descriptors: number;
  files: number;
  storeMb: number;
}[] = [];
for (let round = 0; round < ROUNDS; round++) {
  for (let made = 0; made < SESSIONS; made++) await live(rollcall, made);
  await rollcall.cleanup({ hours: 0 });
  readings.push(await read(rollcall));
  console.log(`round ${round + 1}/${ROUNDS}`, JSON.stringify(readings.at(-1)));
}
const { problems, sessions } = await rollcall.verify();
await rollcall.close();

// The first rounds fill caches; from then on nothing may grow with the number of sessions that ever were.
const [, first = readings[0]] = readings;
const last = readings.at(-1);
const complaints = [
  ...(await longSession(join(place, "long"), EVENTS)),
  ...(await liveCycles(isShort ? 200 : 10_000)),
  sessions > 0 && `${sessions} sessions are left`,
  problems.length > 0 && `verify found ${problems.length} problems`,
  (last?.descriptors ?? 0) > (first?.descriptors ?? 0) && "descriptors pile up",
  (last?.files ?? 0) > 0 && "record files pile up",
  (last?.keptMb ?? 0) > (first?.keptMb ?? 0) + 3 && "memory piles up",
  (last?.outsideHeapMb ?? 0) > (first?.outsideHeapMb ?? 0) + 20 && "memory outside the heap piles up",
].filter((complaint) => complaint !== false);
for (const complaint of complaints) console.error(`FAILED: ${complaint}`);
if (complaints.length === 0) console.log(`${ROUNDS * SESSIONS} sessions came and went; nothing was left.`);
process.exitCode = complaints.length > 0 ? 1 : 0;

async function live(store: Rollcall, number: number): Promise<void> {
  const session = await Session.create({ name: `soak-${number}`, role: "soak" }, { rollcall: store });
  await session.addMessage({ role: "user", content: `go ${number}` });
  await session.recordToolCall({ name: "work", params: { number }, result: { done: true } });
  await session.addUsage({ input: 10, output: 5, cacheRead: 0, cacheWrite: 0 });
  await session.end("success");
}

async function read(store: Rollcall): Promise<(typeof readings)[number]> {
  collectGarbage();
  const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
  return {
    keptMb: Math.round((heapUsed + external) / 1e5) / 10,
    // What the engine reserves for its heap grows with the rate of work, up to a bound; no session holds it.
    outsideHeapMb: Math.round((rss - heapTotal) / 1e6),
    rssMb: Math.round(rss / 1e6),
    descriptors: readdirSync("/proc/self/fd").length,
    files: readdirSync(join(place, "project", ".rollcall", "sessions")).length,
    storeMb: Math.round(store.context.store.statistics().size().bytes / 1e5) / 10,
  };
}
