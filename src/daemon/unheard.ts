import type { Signal } from "../domain/signal.ts";
import type { ReportFields } from "../host/holder-message.ts";
import type { LiveSession } from "./live-session.ts";

/**
 * What an agent reported before it left, while nobody listened. How its last turn went and what it did last count;
 * what it did in between is over.
 */
export async function takeUnheard(session: LiveSession, reports: readonly ReportFields[]): Promise<void> {
  const { findings, notes, carrying } = session;
  const signals: Signal[] = [];
  for (const fields of reports) {
    const { signal, ...rest } = carrying.agent.observe.report?.(fields, notes.all) ?? {};
    await findings.take(rest);
    if (signal) signals.push(signal);
  }
  const lastTurn = signals.findLast((signal) => signal.says === "ready" && signal.turn !== undefined);
  const last = signals.at(-1);
  for (const signal of new Set([lastTurn, last])) if (signal) await findings.signal(signal);
}
