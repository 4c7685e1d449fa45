import { join } from "node:path";
import type { Rollcall } from "../src/index.ts";
import { executedDuring, scansOf } from "./executed.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";
import { addOld, openIn } from "./sessions.ts";
import { filledHome, sizeOf } from "./stores.ts";

const ROUNDS = 7;
const OLD = 1000;

/** Cleanup of old sessions among many young ones against the same where there are no others. */
export async function* cleanup(bench: Bench): AsyncIterable<Figure> {
  const many = sizeOf(bench);
  const largeHome = await filledHome(bench, many);
  await using large = await openIn(largeHome);
  await using small = await openIn(bench.scratch.folder());
  const compared = await interleave({
    rounds: ROUNDS,
    ours: () => msToCleanUp(large),
    baseline: () => msToCleanUp(small),
  });
  const note = `${OLD} old among ${many} against ${OLD} alone`;
  yield { name: "cleanup", ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };

  await addOld(large, OLD, 0);
  const executed = await executedDuring(() => large.cleanup());
  const scans = scansOf(join(largeHome, "rollcall.db"), executed);
  const planNote = scans.length > 0 ? scans.join("; ") : `${executed.length} statements, all by an index`;
  yield { name: "cleanup-scans", value: scans.length, valueUnit: "count", note: planNote };
}

let round = 0;

async function msToCleanUp(rollcall: Rollcall): Promise<number> {
  await addOld(rollcall, OLD, ++round);
  return tookMs(async () => {
    const { removed } = await rollcall.cleanup();
    if (removed.length !== OLD) throw new Error(`Cleanup removed ${removed.length} sessions, not ${OLD}.`);
  });
}
