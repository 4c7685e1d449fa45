import type { SessionRecord } from "../../domain/session/session.ts";

/** How a session ended, in a few words. */
export function describeEnd({ state, outcome, exitCode, exitSignal, endReason }: SessionRecord): string {
  // An agent that was told to leave may do so by a signal or with any code.
  const left =
    state === "stopped" ? outcome : (exitSignal ?? (exitCode === null ? outcome : `exit ${exitCode}`));
  const how = endReason ?? left;
  return how === null ? state : `${state} (${how})`;
}
