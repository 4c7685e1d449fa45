import type { Bench, Figure } from "./figure.ts";
import { interleave, perSecond } from "./measure.ts";
import { Raw } from "./raw.ts";
import { createSessions, openIn } from "./sessions.ts";

/** Many and short: on a busy machine the two of a round then still meet the same conditions. */
const ROUNDS = 101;
const SESSIONS = 1000;

/** Reads of one session through the library against an indexed point read by hand on the same database. */
export async function* read(bench: Bench): AsyncIterable<Figure> {
  const home = bench.scratch.folder();
  await using rollcall = await openIn(home);
  const ids = await createSessions(rollcall, SESSIONS);
  using raw = new Raw(home);
  const passes = bench.isQuick ? 1 : 2;

  const everyId = (work: (id: string) => unknown) => () =>
    perSecond(SESSIONS * passes, async () => {
      for (let pass = 0; pass < passes; pass++) for (const id of ids) await work(id);
    });
  const baseline = () =>
    perSecond(SESSIONS * passes, () => {
      for (let pass = 0; pass < passes; pass++) for (const id of ids) raw.get(id);
    });
  const compare = async (name: string, work: (id: string) => unknown): Promise<Figure> => {
    const compared = await interleave({ rounds: ROUNDS, ours: everyId(work), baseline });
    const note = "raw SELECT * by id";
    return { name, ...compared, value: compared.ratio, valueUnit: "x", unit: "op/s", note };
  };
  yield await compare("get", (id) => rollcall.get(id));
  yield await compare("should-resume", (id) => rollcall.shouldResume(id));
}
