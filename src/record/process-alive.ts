import { RollcallError } from "../domain/errors.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { isProcessAlive } from "../machine/process.ts";

/** A session whose state is not known may still have a living process. */
export function isCarriedAlive({ origin, state, process }: SessionRow): boolean {
  return origin === "started" && (isLive(state) || (process !== null && isProcessAlive(process)));
}

export function refuseIfCarried(row: SessionRow): void {
  if (!isCarriedAlive(row)) return;
  throw new RollcallError("process_alive", `Session ${row.id} is still running.`, {
    hint: `End it first with \`rollcall end ${row.id}\`.`,
  });
}

/** A session outside is observed only, and its work is not over while its process lives. */
export function refuseIfSeenAlive({ id, origin, process }: SessionRow): void {
  if (origin !== "observed" || process === null || !isProcessAlive(process)) return;
  const message = `Session ${id} runs outside Rollcall: its process ${process.pid} lives.`;
  throw new RollcallError("process_alive", message, { hint: "Leave it where it runs; its record follows." });
}
