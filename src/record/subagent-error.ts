import { RollcallError } from "../domain/errors.ts";
import type { SessionRow } from "../domain/session/session.ts";

/** Refuses what only a session with a process of its own can do. */
export function refuseSubagent({ id, origin, parentId }: SessionRow): void {
  if (origin !== "subagent" || parentId === null) return;
  throw new RollcallError(
    "not_carried",
    `Session ${id} is a sub-agent and lives in the process of its parent, session ${parentId}.`,
    { hint: `Ask its parent: \`rollcall get ${parentId}\` shows it.`, facts: { parentId } },
  );
}
