import type { Target } from "../agents/agent.ts";
import type { Kind } from "../domain/session/session.ts";

/** An agent of which nothing is known but how it is driven. */
export function to(kind: Kind): Target {
  return { kind, nativeId: null, notes: {} };
}
