import type { Memory } from "../../agents/parsed.ts";
import type { TerminalSource } from "../../agents/sources.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { ReportFields } from "../../host/holder-message.ts";
import type { IntakePort, MemoryPort } from "../session/ports.ts";

/**
 * Takes in what an agent reported before it left, while nobody listened. How its last turn went and what it did last
 * count; everything in between is over.
 */
export async function takeUnheard(
  { intake, memory }: IntakePort & MemoryPort,
  terminal: TerminalSource<Memory> | undefined,
  reports: readonly ReportFields[],
): Promise<void> {
  const signals: Signal[] = [];
  for (const fields of reports) {
    const { signal, ...rest } = terminal?.report?.(fields, memory.all) ?? {};
    await intake.take(rest);
    if (signal) signals.push(signal);
  }
  const lastTurn = signals.findLast((signal) => signal.says === "ready" && signal.turn !== undefined);
  const last = signals.at(-1);
  for (const signal of new Set([lastTurn, last])) if (signal) await intake.signal(signal);
}
