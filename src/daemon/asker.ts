import { AsyncLocalStorage } from "node:async_hooks";
import { RollcallError } from "../domain/errors.ts";
import type { Asker } from "../domain/session/event.ts";
import type { Channel, SessionRow } from "../domain/session/session.ts";
import { sessionAround } from "../home/session-around.ts";
import { askerOf } from "../machine/asker.ts";
import { isOwnProcess } from "../machine/process.ts";
import type { Context } from "../record/context.ts";
import { sessionsAbove } from "../record/sessions-above.ts";
import type { Services } from "./services.ts";

const askers = new AsyncLocalStorage<() => Asker | undefined>();

/** Does what a caller asked for; whatever is recorded of it can say who that was. Found out when first needed. */
export function onBehalf<T>(find: () => Asker | undefined, work: () => T): T {
  let found: { readonly asker: Asker | undefined } | undefined;
  const findOnce = () => {
    found ??= { asker: find() };
    return found.asker;
  };
  return askers.run(findOnce, work);
}

/** The caller of the operation in progress; undefined where there is none. Read it before anything is queued. */
export function askerNow(): Asker | undefined {
  return askers.getStore()?.();
}

/** For events that someone asked for. */
export function withAsker(context: Context): Context {
  const asker = askerNow();
  return asker === undefined ? context : { ...context, asker };
}

/** An event that came through a channel was asked for, and says by whom; what was only observed does not. */
export function askedContext(context: Context, channel: Channel | null): Context {
  return channel === null ? context : withAsker(context);
}

/** The caller with this pid, which it told itself, and the session that it runs in, which it did not. */
export function findAsker(home: string, pid: number | undefined): Asker | undefined {
  if (pid === undefined || !isOwnProcess(pid)) return undefined;
  return askerOf(pid, sessionAround(home, pid));
}

/** An agent may not grant its own requests, nor may the sessions that it started. */
export async function checkNotOwn({ context }: Services, row: SessionRow): Promise<void> {
  const around = askerNow()?.sessionId ?? null;
  if (around === null || !(await sessionsAbove(context, around)).has(row.id)) return;
  throw new RollcallError(
    "own_request",
    `Session ${around} may not answer what it or a session above it asks; nothing was sent.`,
    { hint: "A person, or a program outside the session, has to answer." },
  );
}
