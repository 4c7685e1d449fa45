import { RollcallError } from "../../../domain/errors.ts";
import {
  budgetsOf,
  decideNearing,
  decideSpent,
  findSpent,
  type SpentBudget,
} from "../../../domain/limits/decide-budget.ts";
import { type Budget, isBudget, type Limit } from "../../../domain/limits/limit.ts";
import type { EventBody, SessionEvent } from "../../../domain/session/event.ts";
import type { SessionRow } from "../../../domain/session/session.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import type { BudgetTable } from "./budget-table.ts";

/** The transaction that budgets are decided in. */
interface Ports {
  readonly budgets: BudgetTable;
  /** Writes sums that are still kept back, so that the tables add up. */
  saveLedgers(): void;
  /** The row as this transaction has it by now. */
  row(sessionId: string): SessionRow | undefined;
  append(sessionId: string, body: EventBody): SessionEvent | undefined;
}

/**
 * Decides the budgets that new requests of a session count towards: its own and those of the sessions above it. An end
 * is recorded for all that a used-up budget stands above, in the commit that has used it up.
 */
export function checkBudgets(
  ports: Ports,
  sessionId: string,
  requests: readonly UsageEntry[],
): SessionEvent[] {
  const row = ports.row(sessionId);
  if (!row || (row.parentId === null && budgetsOf(row).length === 0)) return [];
  const appended: (SessionEvent | undefined)[] = [];
  for (const ownerId of ports.budgets.budgetedFrom(sessionId)) {
    const owner = readable(ports, ownerId);
    if (!owner) continue;
    ports.saveLedgers();
    const spending = ports.budgets.spendingOf(ownerId);
    for (const body of decideNearing(owner, spending, requests)) appended.push(ports.append(ownerId, body));
    const spent = findSpent(ownerId, budgetsOf(owner), spending);
    if (spent) appended.push(...endAll(ports, spent));
  }
  return appended.filter((event) => event !== undefined && event.sessionId === sessionId) as SessionEvent[];
}

/** The first budget that leaves no room for a session with these limits below this parent. */
export function findSpentFor(
  { budgets, row, saveLedgers }: Omit<Ports, "append">,
  { id, parentId, limits }: { id: string; parentId: string | null; limits: readonly Limit[] },
): SpentBudget | undefined {
  const above = parentId === null ? [] : budgets.budgetedFrom(parentId);
  const owners: (readonly [string, readonly Budget[]])[] = [
    [id, limits.filter(isBudget)],
    ...above.filter((owner) => owner !== id).map((owner) => [owner, ownBudgets(row(owner))] as const),
  ];
  saveLedgers();
  for (const [owner, own] of owners) {
    const spent = own.length === 0 ? undefined : findSpent(owner, own, budgets.spendingOf(owner));
    if (spent) return spent;
  }
  return undefined;
}

function ownBudgets(row: SessionRow | undefined): readonly Budget[] {
  return row ? budgetsOf(row) : [];
}

function endAll(ports: Ports, spent: SpentBudget): (SessionEvent | undefined)[] {
  return ports.budgets.carriedFrom(spent.sessionId).map((id) => {
    const row = readable(ports, id);
    const body = row && decideSpent(row, spent);
    return body && ports.append(id, body);
  });
}

/** A damaged record of a relative keeps no usage from being counted. */
function readable(ports: Ports, id: string): SessionRow | undefined {
  try {
    return ports.row(id);
  } catch (error) {
    if (error instanceof RollcallError && error.code === "corrupt") return undefined;
    throw error;
  }
}
