import type { Budget } from "../src/domain/limits/limit.ts";
import type { Rollcall } from "../src/index.ts";
import { LAUNCH } from "../src/testing/carried.ts";
import { created, newEvent, request } from "../src/testing/events.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";
import { openIn } from "./sessions.ts";

const FAMILIES = [1, 10, 100];
const COMMITS = 20;
/** Far away, so that it is reckoned each time and ends nothing. */
const BUDGET: Budget = { kind: "max_cost", allowed: 1e15, unit: "nano_usd" };

/** A commit of one request of the youngest child under a budget of its parent, against the same without a budget. */
export async function* budgets(bench: Bench): AsyncIterable<Figure> {
  await using rollcall = await openIn(bench.scratch.folder());
  for (const children of FAMILIES) {
    const budgeted = await family(rollcall, `budgeted-${children}`, children, [BUDGET]);
    const free = await family(rollcall, `free-${children}`, children, []);
    const rounds = bench.isQuick ? 11 : 31;
    const ours = () => commits(rollcall, budgeted);
    const compared = await interleave({ rounds, ours, baseline: () => commits(rollcall, free) });
    const note = `one commit in a family of ${children}, against no budget`;
    const name = `budget-of-${children}`;
    yield { name, ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
  }
}

/** Returns the id of the youngest child. Each has requests already. */
async function family(
  rollcall: Rollcall,
  parent: string,
  children: number,
  limits: readonly Budget[],
): Promise<string> {
  const ids = Array.from({ length: children }, (_, no) => `${parent}-child-${no}`);
  for (const id of [parent, ...ids]) {
    const isChild = id !== parent;
    const launch = { ...LAUNCH, limits: isChild ? [] : limits };
    const identity = { parentId: isChild ? parent : null };
    const body = created({ origin: "started", state: "starting", launch, identity });
    const usage = [request(`${id}-first`, { reportedNanoUsd: 1 })];
    await rollcall.context.store.change(id, () => ({ events: [newEvent(body)], usage }));
  }
  return ids.at(-1) ?? parent;
}

let keys = 0;

/** Milliseconds for each commit. */
async function commits(rollcall: Rollcall, id: string): Promise<number> {
  const ms = await tookMs(async () => {
    for (let count = 0; count < COMMITS; count++) {
      const usage = [request(`commit-${++keys}`, { reportedNanoUsd: 1 })];
      await rollcall.context.store.change(id, () => ({ events: [], usage }));
    }
  });
  return ms / COMMITS;
}
