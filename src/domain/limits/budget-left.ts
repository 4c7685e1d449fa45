import { RollcallError } from "../errors.ts";
import type { SpentBudget } from "./decide-budget.ts";
import { describeUse } from "./limit.ts";

const OPTIONS = { max_cost: "--max-cost", max_tokens: "--max-tokens" } as const;

/** Refuses a launch that a budget leaves no room for: it would be ended with its first request. */
export function checkBudgetLeft(sessionId: string | null, spent: SpentBudget | undefined): void {
  if (!spent) return;
  const { budget, used } = spent;
  const option = OPTIONS[budget.kind];
  const isOwn = spent.sessionId === sessionId;
  throw new RollcallError(
    "budget_spent",
    `The budget of session ${spent.sessionId} is used up: ${describeUse(budget, used)}.`,
    {
      hint: isOwn
        ? `Give it a higher one with ${option}, or none with \`${option} none\`.`
        : `It counts for all sessions below it; resume that one with a higher ${option}.`,
      facts: { sessionId: spent.sessionId, kind: budget.kind, allowed: budget.allowed, used },
    },
  );
}
