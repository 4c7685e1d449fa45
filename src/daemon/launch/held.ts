import { findAgent } from "../../agents/registry.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { LIVE_STATES } from "../../domain/session/state.ts";
import { pidsWriting } from "../../machine/open-files.ts";
import { isProcessAlive } from "../../machine/process.ts";
import type { Daemon } from "../daemon.ts";
import { processIn } from "../outside/live-files.ts";
import type { LaunchInput } from "./plan-launch.ts";

/** Two processes in one conversation would mix their words. */
export async function checkNotHeld(daemon: Daemon, row: SessionRow, env: LaunchInput["env"]): Promise<void> {
  const { store } = daemon.services.context;
  const nativeId = row.nativeId as string;
  const isHolding = (other: SessionRow) =>
    other.id !== row.id && other.agentType === row.agentType && !hasLeft(other);
  const { items } = await store.list({ states: LIVE_STATES, nativeId, where: isHolding, limit: 1 });
  const holder = items[0]?.row;
  if (holder) throw held(row, `Session ${holder.id} is in the same conversation and lives.`);
  const pid = pidIn(row, env, nativeId);
  if (pid !== undefined) throw held(row, `Process ${pid} is in the conversation of session ${row.id}.`);
}

/** One that was started outside leaves without a word: its record may say for a while that it lives. */
function hasLeft({ origin, process }: SessionRow): boolean {
  return origin === "observed" && process !== null && !isProcessAlive(process);
}

/** The process that is in a conversation without Rollcall, by what it holds open or says of itself. */
function pidIn({ agentType }: SessionRow, env: LaunchInput["env"], nativeId: string): number | undefined {
  const agent = findAgent(agentType);
  const lock = agent?.lockOf?.(env, nativeId);
  const writer = lock === undefined ? undefined : pidsWriting(lock)[0];
  return writer ?? (agent && processIn(agent, env, nativeId)?.pid);
}

function held(row: SessionRow, message: string): RollcallError {
  return new RollcallError("conversation_held", message, {
    hint: `End it first, or begin a copy with \`rollcall fork ${row.id}\`.`,
  });
}
