import { isLive } from "../domain/state.ts";
import { type AnswerInput, answerRequest } from "./answer.ts";
import type { Daemon } from "./daemon.ts";
import { type DataInput, sessionData } from "./data.ts";
import type { Handlers } from "./door.ts";
import { continueSession, type EndInput, endSession, pauseSession } from "./end.ts";
import { explainSession } from "./explain.ts";
import { interruptSession } from "./interrupt.ts";
import { Launches } from "./launches.ts";
import { sendInput, sendKeys } from "./send.ts";
import {
  type ForkInput,
  forkSession,
  type ResumeInput,
  resumeSession,
  type StartInput,
  startSession,
} from "./start.ts";
import { type WaitInput, waitForSessions } from "./wait.ts";

/** What is done for each operation of the table. */
export function handlersOf(daemon: Daemon, stop: () => void): Handlers {
  const launches = new Launches();
  return {
    start_session: async (input: StartInput) => launches.run(async () => startSession(daemon, input)),
    resume_session: async (input: ResumeInput) => launches.run(async () => resumeSession(daemon, input)),
    fork_session: async (input: ForkInput) => launches.run(async () => forkSession(daemon, input)),
    send_input: async (input: Parameters<typeof sendInput>[1]) => sendInput(daemon, input),
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
      await launches.close();
      // Where it has to stay because something could not be ended, it also starts again.
      return stopDaemon(daemon, input, signal, stop).catch((error: unknown) => {
        launches.open();
        throw error;
      });
    },
  };
}

async function statusOf(daemon: Daemon): Promise<object> {
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
  };
}

interface StopInput {
  readonly endAll?: boolean;
  readonly graceMs?: number;
}

/** Agents run on, unless they are to be ended: then it stays until each is. */
async function stopDaemon(
  daemon: Daemon,
  { endAll = false, graceMs }: StopInput,
  signal: AbortSignal,
  stop: () => void,
): Promise<object> {
  const grace = graceMs === undefined ? {} : { graceMs };
  const ended = endAll
    ? await Promise.all(
        daemon.all.map(
          async ({ id }) => (await endSession(daemon, { sessionId: id, ...grace }, signal)).session,
        ),
      )
    : [];
  setImmediate(stop);
  const running = daemon.all.filter(
    ({ id }) => !ended.some((session) => session.id === id && !isLive(session.state)),
  );
  return { ended: ended.map(({ id }) => id), running: running.length };
}
