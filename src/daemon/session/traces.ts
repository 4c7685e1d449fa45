import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventBody } from "../../domain/session/event.ts";
import type { ProcessIdentity, SessionRow } from "../../domain/session/session.ts";
import { wasProvenEmpty } from "../../domain/supervise/decide-end.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import { findExitFile, findHolderFile } from "../../host/holder-files.ts";
import { markerOf } from "../../machine/proc.ts";
import { bootId, isProcessAlive } from "../../machine/process.ts";
import type { Context } from "../../record/context.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Facts } from "./ports.ts";
import { survivorsOf } from "./tree-watch.ts";

const LEAVING_MS = 2000;
const STEP_MS = 5;
/** A loss is one of the last events: nothing else happens to a session that is lost. */
const LAST_EVENTS = 20;

/** A holder tells that its tree is empty, and then leaves; its guard follows. */
export async function holderGone(folder: string): Promise<void> {
  const file = findHolderFile(folder);
  if (!file) return;
  const own = [file.guard, file.holder].map((process) => ({ ...process, bootId: file.bootId }));
  const isThere = (process: ProcessIdentity) =>
    isProcessAlive(process) && markerOf(process.pid) === basename(folder);
  for (let waitedMs = 0; waitedMs < LEAVING_MS && own.some(isThere); waitedMs += STEP_MS)
    await sleep(STEP_MS);
}

interface Ports extends Facts {
  readonly context: Context;
  readonly leftovers: Pick<Leftovers, "of">;
}

/** Everything that can be found of a session without its holder's word. */
export async function lookForTraces(
  session: Ports,
  { process: noted, generation }: Pick<SessionRow, "process" | "generation">,
): Promise<Extract<Observation, { saw: "traces" }>> {
  const { folder, carrying, context } = session;
  const holder = findHolderFile(folder);
  const isAlive = (process: { readonly pid: number; readonly startTime: string } | undefined) =>
    process !== undefined &&
    holder !== undefined &&
    isProcessAlive({ ...process, bootId: holder.bootId }) &&
    // Pid and start time can be another's within one tick of the clock; the marker cannot.
    markerOf(process.pid) === carrying.launch.marker;
  const agent = holder ? { ...holder.agent, bootId: holder.bootId } : null;
  const isHeld = isAlive(holder?.holder) || isAlive(holder?.guard);
  const leftovers = await session.leftovers.of(carrying.launch.marker, folder);
  return {
    saw: "traces",
    tellsTurns: carrying.mode.capabilities.tellsTurns,
    traces: {
      bootId: bootId(),
      ageMs: context.now() - Date.parse(carrying.launch.at),
      holderBootId: holder?.bootId ?? null,
      isHolderAlive: isAlive(holder?.holder),
      isGuardAlive: isAlive(holder?.guard),
      agent,
      exit: findExitFile(folder) ?? null,
      leftovers,
      wasEmpty: wasProvenEmpty(await lastBodies(session), generation),
      survivors: isHeld ? [] : survivorsOf(folder, agent ?? noted, carrying.launch.cwd),
    },
  };
}

async function lastBodies({ context, id }: Ports): Promise<EventBody[]> {
  const events = await context.store.events(id, { limit: LAST_EVENTS, tail: true });
  return events.map(({ body }) => body);
}
