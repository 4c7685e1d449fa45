import { RollcallError } from "../domain/errors.ts";
import type { SessionRecord } from "../domain/session.ts";

/** What the daemon answers to an end. */
export interface Ended {
  readonly session: SessionRecord;
  readonly killed: number | null;
  readonly remaining: readonly number[];
  readonly children: readonly string[];
  /** False where the end could not be proven in time. */
  readonly isProven?: boolean;
}

export function isProven(ended: Ended): boolean {
  return ended.isProven !== false;
}

export function notProven({ session: { id }, remaining }: Ended): RollcallError {
  const which = remaining.length === 0 ? "which is not known" : `pids ${remaining.join(", ")}`;
  return new RollcallError(
    "not_proven",
    `Session ${id} still has a process (${which}); it is tried again every 5 s.`,
    {
      hint: `See \`rollcall explain ${id}\`.`,
    },
  );
}
