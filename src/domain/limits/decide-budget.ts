import type { EventBody } from "../session/event.ts";
import type { SessionRow } from "../session/session.ts";
import { isEnded } from "../session/state.ts";
import { isLost } from "../supervise/decide-end.ts";
import type { UsageEntry } from "../usage.ts";
import { type Budget, describeUse, isBudget, type Spending, usedOf } from "./limit.ts";

/** A budget that is used up, and the session that it was given to. */
export interface SpentBudget {
  readonly sessionId: string;
  readonly budget: Budget;
  readonly used: number;
}

/** A budget is announced when four fifths of it are used up. */
const NEAR = { of: 5, used: 4 } as const;
/** So many models without a price are named; more than that tells nothing new. */
const MOST_MODELS = 20;

export function budgetsOf({ carried }: Pick<SessionRow, "carried">): readonly Budget[] {
  return carried?.launch.limits.filter(isBudget) ?? [];
}

/** The first budget of a session that is used up. */
export function findSpent(
  sessionId: string,
  budgets: readonly Budget[],
  spending: Spending,
): SpentBudget | undefined {
  const budget = budgets.find((one) => usedOf(one, spending) >= one.allowed);
  return budget && { sessionId, budget, used: usedOf(budget, spending) };
}

/** Announces, once each, that most of a budget is used up, and that requests cannot be counted towards it. */
export function decideNearing(
  row: SessionRow,
  spending: Spending,
  requests: readonly UsageEntry[],
): readonly EventBody[] {
  const budgets = budgetsOf(row);
  const neared = budgets.filter(
    (budget) => isNear(budget, usedOf(budget, spending)) && row.carried?.neared?.[budget.kind] === undefined,
  );
  return [
    ...neared.map((limit) => ({ kind: "limit_neared", limit, used: usedOf(limit, spending) }) as const),
    ...uncounted(row, budgets, requests),
  ];
}

function isNear({ allowed }: Budget, used: number): boolean {
  return used < allowed && used * NEAR.of >= allowed * NEAR.used;
}

/** A budget of money says nothing of a model without a price, and that is never kept quiet. */
function uncounted(
  row: SessionRow,
  budgets: readonly Budget[],
  requests: readonly UsageEntry[],
): readonly EventBody[] {
  const limit = budgets.find(({ kind }) => kind === "max_cost");
  if (!limit) return [];
  const known = row.carried?.uncounted ?? [];
  const models = new Set(requests.filter(isUncounted).map(({ model }) => model ?? ""));
  return [...models]
    .filter((model) => !known.includes(model))
    .slice(0, Math.max(0, MOST_MODELS - known.length))
    .map((model) => ({ kind: "limit_uncounted", limit, model: model === "" ? null : model }));
}

function isUncounted({ reportedNanoUsd, computedNanoUsd, ...request }: UsageEntry): boolean {
  if (reportedNanoUsd !== null || computedNanoUsd !== null) return false;
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite } = request;
  return [tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite].some((tokens) => (tokens ?? 0) > 0);
}

/** The end of a session whose own budget, or that of one above it, is used up. Undefined where it needs none. */
export function decideSpent(row: SessionRow, spent: SpentBudget): EventBody | undefined {
  if (row.carried === null || isEnded(row.state) || row.state === "stopping" || isLost(row)) return undefined;
  const { budget, used, sessionId } = spent;
  const use = describeUse(budget, used);
  const endReason =
    sessionId === row.id ? `${budget.kind}: ${use}` : `${budget.kind} of ${sessionId}: ${use}`;
  return {
    kind: "end_began",
    state: "stopping",
    evidence: { source: "usage", rule: budget.kind, excerpt: use },
    generation: row.generation,
    ending: { how: "limit" },
    endReason,
  };
}
