import { RollcallError } from "../../domain/errors.ts";
import { budgetsOf } from "../../domain/limits/decide-budget.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Context } from "../../record/context.ts";
import { askerNow } from "../asker.ts";

/**
 * A process inside a session may launch agents only under the budgets that it is under itself. The daemon sees which
 * session it runs in; the parent that it names is its own word.
 */
export async function checkStaysUnderBudgets(
  { store }: Pick<Context, "store">,
  sessionId: string | null,
): Promise<void> {
  const around = askerNow()?.sessionId ?? null;
  if (around === null) return;
  const owners = (await lineOf(store, around)).filter((row) => budgetsOf(row).length > 0);
  if (owners.length === 0) return;
  const line = new Set((await lineOf(store, sessionId)).map(({ id }) => id));
  const missed = owners.find(({ id }) => !line.has(id));
  if (!missed) return;
  throw new RollcallError(
    "budget_bypassed",
    `Session ${around} is under the budget of ${missed.id}, and what it launches has to be, too.`,
    { hint: "Start it as a child: leave --parent out." },
  );
}

/** The session and its parents, upwards. */
async function lineOf(store: Context["store"], from: string | null): Promise<SessionRow[]> {
  const line = new Map<string, SessionRow>();
  for (let id = from; id !== null && !line.has(id); ) {
    const row = await store.findRow(id);
    if (!row) break;
    line.set(id, row);
    id = row.parentId;
  }
  return [...line.values()];
}
