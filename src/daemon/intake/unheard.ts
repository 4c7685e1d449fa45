import type { Signal } from "../../domain/supervise/signal.ts";
import type { ReportFields } from "../../host/holder-message.ts";
import type { LiveSession } from "../session/live-session.ts";

/**
 * What an agent reported before it left, while nobody listened. How its last turn went and what it did last count;
 * what it did in between is over.
 */
export async function takeUnheard(session: LiveSession, reports: readonly ReportFields[]): Promise<void> {
  const { intake, notes, carrying } = session;
  const signals: Signal[] = [];
  for (const fields of reports) {
    const { signal, ...rest } = carrying.agent.observe.report?.(fields, notes.all) ?? {};
    await intake.take(rest);
    if (signal) signals.push(signal);
  }
  const lastTurn = signals.findLast((signal) => signal.says === "ready" && signal.turn !== undefined);
  const last = signals.at(-1);
  for (const signal of new Set([lastTurn, last])) if (signal) await intake.signal(signal);
}
