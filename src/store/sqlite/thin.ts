import type { Instant } from "../../domain/time.ts";
import { inSteps } from "./in-steps.ts";
import type { SampleTable } from "./tables/sample-table.ts";

/** Runs work in a transaction of its own. */
type Run = <T>(work: (samples: SampleTable) => T) => Promise<T>;

/** Thins the samples of every session, a chunk in each transaction; returns how many fewer there are. */
export async function thinInSteps(
  { before, stepMs }: { readonly before: Instant; readonly stepMs: number },
  run: Run,
): Promise<number> {
  const target = Math.floor(Date.parse(before) / stepMs) * stepMs;
  const from = await run((samples) => samples.beginThinning(stepMs, target));
  if (from === undefined) return 0;
  let place = { session: 0, at: from };
  let gone = 0;
  await inSteps(async () => {
    const some = await run((samples) => samples.thinSome(place, { from, before: target, stepMs }));
    gone += some.gone;
    place = some.next ?? place;
    return some.next ? "more" : "done";
  });
  await run((samples) => samples.endThinning(stepMs));
  return gone;
}
