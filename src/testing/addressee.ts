import type { Addressee } from "../agents/agent.ts";
import type { Kind } from "../domain/session.ts";

/** An agent of which nothing is known but how it is driven. */
export function to(kind: Kind): Addressee {
  return { kind, nativeId: null, notes: {} };
}
