import { createHash } from "node:crypto";
import type { SessionEvent } from "../../domain/session/event.ts";
import { msBetween } from "../../domain/time.ts";
import { nowOf } from "../../record/context.ts";
import type { Daemon } from "../daemon.ts";

/** A key makes a retried call safe for so long; afterwards it may be used anew. */
const KEY_MS = 24 * 60 * 60 * 1000;

export function startKeyId(key: string): string {
  return `start-key-${digest(key)}`;
}

export function sendKeyId(sessionId: string, key: string): string {
  return `send-key-${sessionId}-${digest(key)}`;
}

/** The event that the first call with this key wrote within a day; else an id for the event of this call. */
export async function findByKey(
  daemon: Daemon,
  keyId: string,
): Promise<{ readonly event?: SessionEvent; readonly freeId: string }> {
  const { context } = daemon.services;
  for (let use = 1; ; use++) {
    const id = `${keyId}-${use}`;
    const event = await context.store.findEvent(id);
    if (!event) return { freeId: id };
    if (msBetween(event.at, nowOf(context)) < KEY_MS) return { event, freeId: id };
  }
}

/** A key may hold anything, and event ids are shown. */
function digest(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 32);
}
