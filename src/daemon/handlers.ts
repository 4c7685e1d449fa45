import { RollcallError } from "../domain/errors.ts";
import { isLive } from "../domain/session/state.ts";
import type { Daemon } from "./daemon.ts";
import { faultPoint } from "./fault-point.ts";
import { LaunchGate } from "./launch/launch-gate.ts";
import {
  type ForkInput,
  forkSession,
  type ResumeInput,
  resumeSession,
  type StartInput,
  startSession,
} from "./launch/start.ts";
import { type AnswerInput, answerRequest } from "./operations/answer.ts";
import { type DataInput, sessionData } from "./operations/data.ts";
import { continueSession, type Ended, type EndInput, endSession, pauseSession } from "./operations/end.ts";
import { explainSession } from "./operations/explain.ts";
import { interruptSession } from "./operations/interrupt.ts";
import { sendInput, sendKeys } from "./operations/send.ts";
import { type WaitInput, waitForSessions } from "./operations/wait.ts";
import type { Handlers } from "./socket/socket-server.ts";

/** The handler of each operation of the table. */
export function handlersOf(daemon: Daemon, stop: () => void): Handlers {
  const gate = new LaunchGate();
  return {
    start_session: async (input: StartInput) => gate.run(async () => startSession(daemon, input)),
    resume_session: async (input: ResumeInput) => gate.run(async () => resumeSession(daemon, input)),
    fork_session: async (input: ForkInput) => gate.run(async () => forkSession(daemon, input)),
    send_input: async (input: Parameters<typeof sendInput>[1], signal) => sendInput(daemon, input, signal),
    send_keys: async (input: Parameters<typeof sendKeys>[1]) => sendKeys(daemon, input),
    answer_request: async (input: AnswerInput) => answerRequest(daemon, input),
    interrupt_session: async (input: { sessionId: string }) => interruptSession(daemon, input),
    pause_session: async (input: { sessionId: string }) => pauseSession(daemon, input),
    continue_session: async (input: { sessionId: string }) => continueSession(daemon, input),
    end_session: async (input: EndInput, signal) => endSession(daemon, input, signal),
    wait_for_session: async (input: WaitInput, signal) => ({
      results: await waitForSessions(daemon, input, signal),
    }),
    get_session_data: async (input: DataInput) => sessionData(daemon, input),
    explain_session: async (input: { sessionId: string }) => explainSession(daemon, input),
    get_status: async () => statusOf(daemon),
    stop_daemon: async (input: StopInput, signal) => {
      await gate.close();
      // A daemon that has to stay, because something could not be ended, starts again.
      return stopDaemon(daemon, input, signal, stop).catch((error: unknown) => {
        gate.open();
        throw error;
      });
    },
  };
}

async function statusOf(daemon: Daemon): Promise<object> {
  faultPoint("status.asked");
  const { services } = daemon;
  const memory = process.memoryUsage();
  return {
    pid: process.pid,
    version: services.version,
    live: daemon.all.length,
    uptimeMs: Math.round(process.uptime() * 1000),
    memoryRssBytes: memory.rss,
    log: services.places.log,
    socket: services.places.socket,
    import: daemon.imports.status,
  };
}

interface StopInput {
  readonly endAll?: boolean;
  readonly graceMs?: number;
}

/** Agents run on, unless they are to be ended: then it stays until each is, and goes on trying. */
async function stopDaemon(
  daemon: Daemon,
  { endAll = false, graceMs }: StopInput,
  signal: AbortSignal,
  stop: () => void,
): Promise<object> {
  const grace = graceMs === undefined ? {} : { graceMs };
  const ends = endAll
    ? await Promise.all(
        daemon.all.map(async ({ id }) => endSession(daemon, { sessionId: id, ...grace }, signal)),
      )
    : [];
  const unproven = ends.filter(({ isProven }) => isProven === false);
  if (unproven.length > 0) throw notProven(unproven);
  setImmediate(stop);
  const ended = ends.map(({ session }) => session.id);
  const running = daemon.all.filter(({ id }) => !ended.includes(id));
  return { ended, running: running.length };
}

function notProven(unproven: readonly Ended[]): RollcallError {
  const remaining = unproven.flatMap((each) => each.remaining);
  const ids = unproven.map(({ session }) => session.id);
  const which = remaining.length === 0 ? "which is not known" : `pids ${remaining.join(", ")}`;
  if (unproven.every(({ session }) => !isLive(session.state)))
    return new RollcallError(
      "not_proven",
      `The end of ${ids.join(", ")} cannot be proven, because their holders and guards were killed (pids: ${remaining.join(", ") || "none known"}).`,
      { hint: "Stop the daemon once more to go without.", facts: { sessionIds: ids, remaining } },
    );
  return new RollcallError(
    "not_proven",
    `Processes are left (${which}) of ${ids.join(", ")}; the daemon stays and tries again every 5 s.`,
    { hint: "See `rollcall explain ID`, and stop it later.", facts: { sessionIds: ids, remaining } },
  );
}
