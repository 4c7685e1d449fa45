import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent, LaunchPlan, LaunchRequest } from "../agents/agent.ts";
import type { Launch } from "../domain/carried.ts";
import { RollcallError } from "../domain/errors.ts";
import { createRedactor } from "../domain/redact.ts";
import type { Kind, ProcessIdentity } from "../domain/session.ts";
import { type HolderStart, startHolder } from "../host/holder.ts";
import { findHolderFile } from "../host/holder-files.ts";
import { listTmuxViews, openTmuxView } from "../host/tmux-view.ts";
import { type Config, durationOf, launchFolder, loadConfig } from "../record/config.ts";
import { nowOf } from "../record/context.ts";
import { SESSION_FILE } from "../record/launch-session.ts";
import { randomBytes } from "../record/random.ts";
import { secretsOf } from "../record/secrets.ts";
import { workspaceOf } from "../record/workspace.ts";
import { answering } from "./answering.ts";
import { checkTyped } from "./check-typed.ts";
import { type Daemon, SECRETS_FILE } from "./daemon.ts";
import { faultPoint } from "./fault-point.ts";
import { OPENING_FILE, PROMPT_FILE } from "./input.ts";
import type { LiveSession } from "./live-session.ts";
import { whereaboutsOf, writeWhereabouts } from "./whereabouts.ts";

/** What a launch needs beside the agent, whoever asks for it. */
export interface LaunchInput {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly prompt?: string;
  readonly view?: "tmux";
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly closesInput?: boolean;
  readonly keepChildren?: boolean;
  readonly waitPattern?: string;
}

export interface PlannedLaunch {
  readonly agent: Agent;
  readonly kind: Kind;
  readonly launch: Launch;
  readonly plan: LaunchPlan;
  readonly input: LaunchInput;
  /** Values of the caller's environment that must not be shown. */
  readonly secrets: readonly string[];
  /** As it is now, with the project's. */
  readonly config: Config;
}

export interface PlanInput {
  readonly agent: Agent;
  readonly kind: Kind;
  readonly sessionId: string;
  readonly args: readonly string[];
  readonly model: string | null;
  readonly continues: LaunchRequest["continues"];
  readonly input: LaunchInput;
}

/** Everything that can be wrong with a launch is found here, before anything is written. */
export async function planLaunch(
  daemon: Daemon,
  { agent, kind, sessionId, args, model, continues, input }: PlanInput,
): Promise<PlannedLaunch> {
  const { places, programs, context } = daemon.services;
  checkHolder(programs.holder);
  checkFolder(input.cwd);
  if (input.prompt !== undefined) checkTyped(input.prompt);
  const { config } = loadConfig(places.home, workspaceOf(input.cwd));
  if (!agent.capabilities.kinds.includes(kind)) throw notThatKind(agent, kind);
  const marker = randomBytes(16).toString("hex");
  const plan = agent.plan({
    sessionId,
    kind,
    args,
    cwd: input.cwd,
    model,
    env: input.env,
    freshId: uuid(),
    continues,
    answering: await answering(agent.sockets?.(input.env) ?? []),
    hookScript: places.hookScript,
    folder: launchFolder(places.home, marker),
    home: places.home,
    node: programs.node,
    programs: { scripted: programs.scripted },
  });
  if (plan.host !== "pty") checkNeedsNoTerminal(input);
  const view = input.view ?? (config.view === "tmux" && plan.host === "pty" ? "tmux" : null);
  const launch: Launch = {
    marker,
    at: nowOf(context),
    host: plan.host,
    view: plan.host === "pty" ? view : null,
    args,
    cwd: input.cwd,
    envNames: Object.keys(input.env).sort(),
    hasPrompt: input.prompt !== undefined,
    closesInput: input.closesInput ?? false,
    keepsChildren: input.keepChildren ?? false,
    timeoutMs: input.timeoutMs ?? null,
    idleTimeoutMs: input.idleTimeoutMs ?? null,
    waitPattern: input.waitPattern ?? null,
  };
  return { agent, kind, launch, plan, input, secrets: secretsOf(config, input.env), config };
}

/** A view that was asked for by name has to be possible; one that only the settings want is not worth a refusal. */
export async function checkView(daemon: Daemon, { input }: PlannedLaunch): Promise<void> {
  if (input.view === "tmux") await listTmuxViews({ socketDir: daemon.services.places.run });
}

export function carryPlanned(
  daemon: Daemon,
  id: string,
  generation: number,
  planned: PlannedLaunch,
): LiveSession {
  const { agent, kind, launch, plan } = planned;
  const secrets = [...daemon.services.context.secrets(), ...planned.secrets];
  const redactor = createRedactor(secrets);
  return daemon.carry({ id, generation, kind, launch, agent, whereabouts: whereaboutsOf(plan), redactor });
}

/** The record stands; now the process. Whatever fails is written into the record, and thrown. */
export async function launch(daemon: Daemon, session: LiveSession, planned: PlannedLaunch): Promise<void> {
  faultPoint("start.recorded");
  const started = await startPlanned(daemon, session, planned);
  faultPoint("start.spawned");
  if (!started.ok) {
    await session.sight({ saw: "launch_failed", error: started.error, step: started.step });
    throw startFailed(planned, started);
  }
  await session.sight({
    saw: "launched",
    process: processOf(session),
    isReady: planned.agent.capabilities.isReadyAtExec,
  });
  faultPoint("start.launched");
  await session.adopt();
  if (planned.plan.notice !== undefined) await session.findings.notice("launch", planned.plan.notice);
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
    faultPoint("start.folder");
    return await startHolder({
      binary: programs.holder,
      dir: session.folder,
      host: planned.launch.host,
      command: planned.plan.command,
      env: environmentOf(daemon, session, planned),
      cwd: planned.launch.cwd,
      graceMs: durationOf(session.config, "end.grace"),
      keepChildren: planned.launch.keepsChildren,
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
    [SESSION_FILE]: id,
    [SECRETS_FILE]: JSON.stringify(secrets),
    ...(input.prompt === undefined ? {} : { [PROMPT_FILE]: input.prompt }),
    ...(plan.opening === undefined ? {} : { [OPENING_FILE]: plan.opening }),
    ...plan.files,
  };
  // What hides secrets must outlive the power if the output does.
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, {
      mode: 0o600,
      flush: name === SECRETS_FILE && secrets.length > 0,
    });
  writeWhereabouts(folder, whereaboutsOf(plan));
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
    ...(host === "pty" ? { TERM: terminalOf(input.env.TERM) } : {}),
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

function checkHolder(path: string): void {
  if (existsSync(path)) return;
  throw new RollcallError("holder_missing", "The holder, which carries live sessions, was not built.", {
    hint: "Install a C compiler (on Debian: `apt-get install build-essential`) and run `npm run build`.",
  });
}

function checkFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new RollcallError("bad_input", `${JSON.stringify(cwd)} is not a folder.`, {
    hint: "Choose one with --cwd.",
  });
}

/** Nothing that was asked for is passed over in silence. */
function checkNeedsNoTerminal({ view, waitPattern }: LaunchInput): void {
  if (view === undefined && waitPattern === undefined) return;
  const lacks = view === "tmux" ? "nothing to show in tmux" : "no screen to find a pattern on";
  throw new RollcallError("bad_input", `A session without a terminal has ${lacks}.`, {
    hint: "Make it interactive with --kind.",
  });
}

function notThatKind(agent: Agent, kind: Kind): RollcallError {
  return new RollcallError("not_offered", `This agent cannot be ${kind} yet.`, {
    hint: `It can be ${agent.capabilities.kinds.join(" or ")}.`,
  });
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
  { plan, launch: { cwd } }: PlannedLaunch,
  { error, step }: Extract<HolderStart, { ok: false }>,
): RollcallError {
  const why = SENTENCES[error] ?? error;
  const what = step === "cwd" ? `The folder ${cwd}` : `${JSON.stringify(plan.command[0])}`;
  return new RollcallError("start_failed", `${what} could not be started: ${why}.`, {
    hint: step === "exec" ? "Check its name and the PATH." : "See daemon.log in the state folder.",
    facts: { error, step },
  });
}

function uuid(): string {
  return process.getBuiltinModule("node:crypto").randomUUID();
}
