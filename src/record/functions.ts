import { RollcallError } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import type { FinalPhase, Phase } from "../domain/session/phase.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { defaultRollcall } from "./default.ts";

/** Makes a record in the user's own store and returns its id. */
export async function createSession(
  agentName: string,
  purpose = "general",
  metadata: JsonObject = {},
): Promise<string> {
  const session = await (await defaultRollcall()).create({ agentName, purpose, metadata });
  return session.id;
}

/** False where there is no such session, the phase is unknown, or the work on it is over. */
export async function updateState(
  agentId: string,
  phase?: Phase | null,
  metadata?: JsonObject | null,
  error?: string | null,
): Promise<boolean> {
  const rollcall = await defaultRollcall();
  return succeeds(() =>
    rollcall.update(agentId, {
      ...(phase == null ? {} : { phase }),
      ...(metadata == null ? {} : { metadata }),
      ...(error == null ? {} : { error }),
    }),
  );
}

export async function shouldResume(agentId: string): Promise<boolean> {
  return (await (await defaultRollcall()).shouldResume(agentId)).resume;
}

/** Null where there is none, or where its record is damaged. */
export async function getSession(agentId: string): Promise<SessionRecord | null> {
  const rollcall = await defaultRollcall();
  try {
    return (await rollcall.find(agentId)) ?? null;
  } catch (error) {
    if (error instanceof RollcallError && error.code === "corrupt") return null;
    throw error;
  }
}

/** False where there is no such session, or it was finalised as something else. */
export async function finalizeSession(
  agentId: string,
  outcome: FinalPhase,
  summary?: string | null,
): Promise<boolean> {
  const rollcall = await defaultRollcall();
  return succeeds(() => rollcall.finalize(agentId, outcome, summary == null ? {} : { summary }));
}

/** Returns how many were removed. */
export async function cleanupOldSessions(hours = 24): Promise<number> {
  return (await (await defaultRollcall()).cleanup({ hours })).removed.length;
}

export async function listSessions(activeOnly = false, agentName?: string | null): Promise<SessionRecord[]> {
  const rollcall = await defaultRollcall();
  return Array.fromAsync(rollcall.list({ activeOnly, ...(agentName == null ? {} : { agent: agentName }) }));
}

/** Refusals are false; that the store itself fails is still an exception. */
async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof RollcallError && !error.code.startsWith("store_") && error.code !== "internal")
      return false;
    throw error;
  }
}
