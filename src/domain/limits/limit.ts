import { formatUsd, NANO } from "./money.ts";

/** Limits that a clock uses up. */
export const TIME_LIMITS = ["timeout", "idle_timeout"] as const;
export type TimeLimitKind = (typeof TIME_LIMITS)[number];

export interface TimeLimit {
  readonly kind: TimeLimitKind;
  readonly allowed: number;
  readonly unit: "ms";
}

/** A limit that model requests use up, those of all sessions below included. Money in billionths of a dollar. */
export type Budget =
  | { readonly kind: "max_cost"; readonly allowed: number; readonly unit: "nano_usd" }
  | { readonly kind: "max_tokens"; readonly allowed: number; readonly unit: "tokens" };

/** So much of something a session may use; then it is ended. */
export type Limit = TimeLimit | Budget;

export function isTimeLimit(limit: Limit): limit is TimeLimit {
  return limit.unit === "ms";
}

export function isBudget(limit: Limit): limit is Budget {
  return !isTimeLimit(limit);
}

/** Sums over a session and everything below it, removed sessions included. */
export interface Spending {
  readonly nanoUsd: number;
  readonly tokens: number;
  readonly requests: number;
  /** Requests of models without a known price: no budget of money counts them. */
  readonly unpriced: number;
}

export function usedOf({ kind }: Budget, spending: Spending): number {
  return kind === "max_cost" ? spending.nanoUsd : spending.tokens;
}

/** Used of allowed, for people: `$0.0412 of $0.05`. */
export function describeUse({ kind, allowed }: Budget, used: number): string {
  if (kind === "max_cost") return `${formatUsd(used)} of ${formatUsd(allowed)}`;
  return `${used} of ${allowed} tokens`;
}

/** A budget as the record shows it, money in dollars. */
export interface BudgetUse {
  readonly kind: Budget["kind"];
  /** Used by the session and all below it; null while no request was counted. */
  readonly used: number | null;
  readonly allowed: number;
  readonly unit: "usd" | "tokens";
  /** Requests that a budget of money cannot count: their models have no known price. */
  readonly uncountedRequests: number;
}

export function useOf(budget: Budget, spending: Spending): BudgetUse {
  const isMoney = budget.kind === "max_cost";
  const scale = isMoney ? NANO : 1;
  return {
    kind: budget.kind,
    used: spending.requests === 0 ? null : usedOf(budget, spending) / scale,
    allowed: budget.allowed / scale,
    unit: isMoney ? "usd" : "tokens",
    uncountedRequests: isMoney ? spending.unpriced : 0,
  };
}
