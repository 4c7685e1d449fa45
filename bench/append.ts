import type { Rollcall } from "../src/index.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, perSecond } from "./measure.ts";
import { Raw } from "./raw.ts";
import { createSessions, openIn, progressOf } from "./sessions.ts";

/** Many and short: on a busy machine the two of a round then still meet the same conditions. */
const ROUNDS = 51;
const AT_ONCE = 100;

/** Durable appends through the library against the same row update and event insert by hand. */
export async function* append(bench: Bench): AsyncIterable<Figure> {
  const home = bench.scratch.folder();
  const rawHome = bench.scratch.folder();
  const ids = await makeSessions(rawHome);
  await makeSessions(home);
  await using rollcall = await openIn(home);
  using raw = new Raw(rawHome);
  const rig = { rollcall, raw };
  const [first = ""] = ids;

  yield await compare("append-one", rig, { ids: [first], batches: bench.isQuick ? 100 : 300 });
  const batches = bench.isQuick ? 4 : 10;
  yield await compare("append-100-one-session", rig, { ids: Array(AT_ONCE).fill(first), batches });
  yield await compare("append-100-sessions", rig, { ids, batches });
}

interface Rig {
  readonly rollcall: Rollcall;
  readonly raw: Raw;
}

/** Each batch updates all ids at once: through the library together, by hand in one transaction. */
async function compare(
  name: string,
  { rollcall, raw }: Rig,
  { ids, batches }: { readonly ids: readonly string[]; readonly batches: number },
): Promise<Figure> {
  const operations = ids.length * batches;
  let step = 0;
  const ours = () =>
    perSecond(operations, async () => {
      for (let batch = 0; batch < batches; batch++) {
        await Promise.all(ids.map((id) => rollcall.update(id, { metadata: progressOf(step++) })));
      }
    });
  const baseline = () =>
    perSecond(operations, () => {
      for (let batch = 0; batch < batches; batch++) {
        raw.append(
          ids,
          ids.map(() => progressOf(step++)),
        );
      }
    });
  const compared = await interleave({ rounds: ROUNDS, ours, baseline });
  const note = ids.length === 1 ? "raw, FULL, one event a transaction" : "raw, FULL, 100 a transaction";
  return { name, ...compared, value: compared.ratio, valueUnit: "x", unit: "op/s", note };
}

async function makeSessions(home: string): Promise<string[]> {
  await using rollcall = await openIn(home);
  return await createSessions(rollcall, AT_ONCE);
}
