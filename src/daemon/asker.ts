import { AsyncLocalStorage } from "node:async_hooks";
import { RollcallError } from "../domain/errors.ts";
import type { Asker } from "../domain/session/event.ts";
import type { Channel, SessionRow } from "../domain/session/session.ts";
import { launchFolder, sessionOfLaunch } from "../home/launch-folder.ts";
import { askerOf } from "../machine/asker.ts";
import { markerOf } from "../machine/proc.ts";
import { isOwnProcess, readProcess } from "../machine/process.ts";
import type { Context } from "../record/context.ts";
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

/** By the marker of the process, or of one of those above it where it has emptied its own environment. */
function sessionAround(home: string, pid: number): string | null {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = readProcess(at)?.parent) {
    const marker = markerOf(at);
    const session = marker === undefined ? undefined : sessionOfLaunch(launchFolder(home, marker));
    if (session !== undefined) return session;
  }
  return null;
}

/** An agent may not grant its own requests, nor may the sessions that it started. */
export async function checkNotOwn({ context }: Services, row: SessionRow): Promise<void> {
  const around = askerNow()?.sessionId ?? null;
  const seen = new Set<string>();
  for (let id = around; id !== null && !seen.has(id); id = await parentOf(context, id)) {
    if (id === row.id)
      throw new RollcallError(
        "own_request",
        `Session ${row.id} may not answer what it or a session above it asks; nothing was sent.`,
        { hint: "A person, or a program outside the session, has to answer." },
      );
    seen.add(id);
  }
}

async function parentOf({ store }: Services["context"], id: string): Promise<string | null> {
  return (await store.find(id))?.row.parentId ?? null;
}
