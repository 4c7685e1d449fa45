import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { createRedactor } from "../../domain/redact/redact.ts";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { durationOf, terminalSizeOf } from "../../home/settings.ts";
import { type HolderStart, startHolder } from "../../host/holder.ts";
import { findHolderFile } from "../../host/holder-files.ts";
import { hostOf } from "../../host/host.ts";
import { openTmuxView } from "../../host/tmux-view.ts";
import type { Daemon } from "../daemon.ts";
import { faultPoint } from "../fault-point.ts";
import type { LiveSession } from "../session/live-session.ts";
import { agentPathsOf, writeAgentPaths } from "../sources/agent-paths.ts";
import { conversationOf, restoreTranscript } from "./kept-transcript.ts";
import type { PlannedLaunch } from "./plan-launch.ts";

export function openPlanned(
  daemon: Daemon,
  id: string,
  generation: number,
  planned: PlannedLaunch,
): LiveSession {
  const { agent, mode, kind, launch, plan } = planned;
  const secrets = [...daemon.services.context.secrets(), ...planned.secrets];
  const redactor = createRedactor(secrets);
  return daemon.open({
    id,
    generation,
    kind,
    launch,
    agent,
    mode,
    agentPaths: agentPathsOf(plan),
    redactor,
  });
}

/** The record stands; now the process. Whatever fails is written into the record, and thrown; nothing is left running. */
export async function launch(daemon: Daemon, session: LiveSession, planned: PlannedLaunch): Promise<void> {
  try {
    await launchRecorded(daemon, session, planned);
  } catch (error) {
    if (!session.isClosing) session.endUnrecorded(0);
    throw error;
  }
}

async function launchRecorded(daemon: Daemon, session: LiveSession, planned: PlannedLaunch): Promise<void> {
  faultPoint("start.recorded");
  const started = await startPlanned(daemon, session, planned);
  faultPoint("start.spawned");
  if (!started.ok) {
    await session.observe({ saw: "launch_failed", error: started.error, step: started.step });
    throw startFailed(session.id, planned, started);
  }
  await session.observe({
    saw: "launched",
    process: processOf(session),
    isReady: planned.mode.capabilities.isReadyAtExec,
  });
  faultPoint("start.launched");
  await session.adopt();
  if (planned.plan.notice !== undefined) await session.intake.notice("launch", planned.plan.notice);
  if (planned.launch.view === "tmux") await openView(daemon, session);
  faultPoint("start.followed");
}

async function startPlanned(
  daemon: Daemon,
  session: LiveSession,
  planned: PlannedLaunch,
): Promise<HolderStart> {
  const { programs } = daemon.services;
  try {
    writeFolder(session, planned);
    // Its files are copied before whatever it does to them.
    if (session.carrying.generation > 1)
      restoreTranscript({ ...conversationOf(daemon.services, session), nativeId: planned.plan.nativeId });
    faultPoint("start.folder");
    return await startHolder({
      binary: programs.holder,
      dir: session.folder,
      host: planned.launch.host,
      command: planned.plan.command,
      env: environmentOf(daemon, session, planned),
      cwd: planned.launch.cwd,
      graceMs: durationOf(session.config, "end.grace"),
      ...terminalSizeOf(planned.config),
      keepChildren: planned.launch.keepsChildren,
      ...(planned.input.umask === undefined ? {} : { umask: planned.input.umask }),
    });
  } catch (error) {
    daemon.services.log.error({ session: session.id, err: error }, "the holder could not be started");
    return {
      ok: false,
      error: (error as NodeJS.ErrnoException).code ?? (error as Error).message,
      step: "holder",
    };
  }
}

/** As the holder wrote it down before the command ran; the process itself may be gone by now. */
function processOf({ folder }: LiveSession): ProcessIdentity {
  const file = findHolderFile(folder);
  if (!file) throw new Error(`The holder wrote nothing into ${folder}.`);
  return { ...file.agent, bootId: file.bootId };
}

function writeFolder({ folder, id }: LiveSession, { plan, input, secrets }: PlannedLaunch): void {
  mkdirSync(folder, { mode: 0o700 });
  const files = {
    [LAUNCH_FILES.session]: id,
    [LAUNCH_FILES.secrets]: JSON.stringify(secrets),
    ...(input.prompt === undefined ? {} : { [LAUNCH_FILES.prompt]: input.prompt }),
    ...(plan.opening === undefined ? {} : { [LAUNCH_FILES.opening]: plan.opening }),
    ...(plan.memory === undefined ? {} : { [LAUNCH_FILES.memory]: JSON.stringify(plan.memory) }),
    ...plan.files,
  };
  // The file that names the secrets must survive a power cut if the output does.
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, {
      mode: 0o600,
      flush: name === LAUNCH_FILES.secrets && secrets.length > 0,
    });
  writeAgentPaths(folder, agentPathsOf(plan));
}

/** The caller's, without what belongs to a session around the caller, with what belongs to this one. */
function environmentOf(
  daemon: Daemon,
  session: LiveSession,
  { plan, input, launch: { marker, host } }: PlannedLaunch,
): Record<string, string> {
  const { places } = daemon.services;
  const callers = Object.entries(input.env).filter(([name]) => !OURS.has(name));
  return {
    ...Object.fromEntries(callers),
    ...(hostOf(host).hasScreen ? { TERM: terminalOf(input.env.TERM) } : {}),
    ...plan.env,
    ROLLCALL_SESSION: marker,
    ROLLCALL_SESSION_ID: session.id,
    ROLLCALL_HOME: places.home,
    ROLLCALL_HOOK: places.hookScript,
    ROLLCALL_HOOKS: places.hooks,
  };
}

const OURS = new Set([
  "ROLLCALL_SESSION",
  "ROLLCALL_SESSION_ID",
  "ROLLCALL_HOOK",
  "ROLLCALL_HOOKS",
  "ROLLCALL_FAULT",
  "ROLLCALL_RERUN",
  "TMUX",
  "TMUX_PANE",
]);

/** Someone who starts from a pipe or an editor has no terminal, but the agent does. */
function terminalOf(given: string | undefined): string {
  return given === undefined || given === "" || given === "dumb" ? "xterm-256color" : given;
}

/** A view that cannot be opened is no reason to lose the session. */
async function openView(daemon: Daemon, session: LiveSession): Promise<void> {
  const { places, programs, log } = daemon.services;
  try {
    await openTmuxView({
      socketDir: places.run,
      sessionId: session.id,
      command: [programs.node, programs.cli, "attach", session.id],
      env: { ROLLCALL_HOME: places.home },
    });
  } catch (error) {
    log.warn({ session: session.id, err: error }, "the tmux view could not be opened");
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "it was not found",
  EACCES: "it may not be executed",
  ENOEXEC: "it is not a program",
  E2BIG: "its arguments are too long",
  EAGAIN: "the system allows no more processes",
  ENOSPC: "the disk with the runtime folder is full",
  EMFILE: "too many files are open",
};

function startFailed(
  id: string,
  { plan, launch: { cwd } }: PlannedLaunch,
  { error, step }: Extract<HolderStart, { ok: false }>,
): RollcallError {
  const why = SENTENCES[error] ?? error;
  const install = error === "ENOENT" ? plan.install : undefined;
  const what = step === "cwd" ? `The folder ${cwd}` : `${JSON.stringify(plan.command[0])}`;
  return new RollcallError("start_failed", `Session ${id}: ${what} could not be started: ${why}.`, {
    hint:
      step === "exec" ? (install ?? "Check its name and the PATH.") : "See daemon.log in the state folder.",
    facts: { error, step },
  });
}
