import { RollcallError } from "../errors.ts";
import type { SessionRow } from "./session.ts";
import { isLive } from "./state.ts";

/** Finds the other live session that Rollcall carries on this machine under this name. */
export type FindNamesake = (name: string, machine: string | null) => string | undefined;

type Named = Pick<SessionRow, "name" | "machine" | "origin" | "state">;

/** Refuses a name that would make two live sessions answer to it; records and ended sessions may share one. */
export function checkNameIsFree(session: Named, findNamesake: FindNamesake, hint: string): void {
  if (session.name === null || !isCarriedLive(session)) return;
  const other = findNamesake(session.name, session.machine);
  if (other === undefined) return;
  throw new RollcallError(
    "name_in_use",
    `The live session ${other} is called ${JSON.stringify(session.name)} already.`,
    { hint, facts: { sessionId: other, name: session.name } },
  );
}

export function isCarriedLive({ origin, state }: Pick<SessionRow, "origin" | "state">): boolean {
  return origin === "started" && isLive(state);
}
