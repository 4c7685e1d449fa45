import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isLive } from "../../domain/session/state.ts";

/** The daemon's answer to an end. */
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

export function notProven({ session: { id, state }, remaining }: Ended): RollcallError {
  if (!isLive(state)) return cannotBeProven(id, remaining);
  const which = remaining.length === 0 ? "which is not known" : `pids ${remaining.join(", ")}`;
  return new RollcallError(
    "not_proven",
    `Session ${id} still has a process (${which}); it is tried again every 5 s.`,
    {
      hint: `See \`rollcall explain ${id}\`.`,
    },
  );
}

function cannotBeProven(id: string, remaining: readonly number[]): RollcallError {
  const which =
    remaining.length === 0 ? "no process is known to be left" : `pids ${remaining.join(", ")} may be its`;
  const sentence = `The end of session ${id} cannot be proven, because its holder and guard were killed; ${which}.`;
  const hint =
    remaining.length === 0 ? `See \`rollcall explain ${id}\`.` : "Look at them, and end them with `kill`.";
  return new RollcallError("not_proven", sentence, { hint });
}
