import { existsSync, statSync } from "node:fs";
import { type Agent, findMode, findModeByName, type Mode } from "../../agents/agent.ts";
import type { LaunchPlan, LaunchRequest } from "../../agents/launch.ts";
import { RollcallError } from "../../domain/errors.ts";
import { type Limit, TIME_LIMITS } from "../../domain/limits/limit.ts";
import type { Launch } from "../../domain/session/carried.ts";
import type { Kind } from "../../domain/session/session.ts";
import { launchFolder } from "../../home/launch-folder.ts";
import { secretsOf } from "../../home/secrets.ts";
import { type Config, limitsOf, loadConfig } from "../../home/settings.ts";
import { hostOf } from "../../host/host.ts";
import { listTmuxViews } from "../../host/tmux-view.ts";
import { freePort } from "../../machine/free-port.ts";
import { randomBytes } from "../../machine/random.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import { nowOf } from "../../record/context.ts";
import type { Daemon } from "../daemon.ts";
import { checkTyped } from "../operations/check-typed.ts";
import { answering } from "../socket/probe-sockets.ts";

/** The input of a launch beside the agent, whoever asks for it. */
export interface LaunchInput {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The caller's. */
  readonly umask?: number;
  readonly prompt?: string;
  readonly view?: "tmux";
  /** Null is none, whatever the settings say. */
  readonly timeoutMs?: number | null;
  readonly idleTimeoutMs?: number | null;
  /** In billionths of a dollar. */
  readonly maxCostNanoUsd?: number | null;
  readonly maxTokens?: number | null;
  readonly closesInput?: boolean;
  readonly keepChildren?: boolean;
  readonly waitPattern?: string;
}

export interface PlannedLaunch {
  readonly agent: Agent;
  readonly mode: Mode;
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
  /** The mode of the launch that this one continues; else the arguments choose one of this kind. */
  readonly modeName?: string;
  readonly sessionId: string;
  readonly args: readonly string[];
  readonly model: string | null;
  readonly purpose: string | null;
  readonly continues: LaunchRequest["continues"];
  readonly input: LaunchInput;
}

/** Everything that can be wrong with a launch is found here, before anything is written. */
export async function planLaunch(
  daemon: Daemon,
  { agent, kind, modeName, sessionId, args, model, purpose, continues, input }: PlanInput,
): Promise<PlannedLaunch> {
  const { places, programs, context } = daemon.services;
  checkHolder(programs.holder);
  checkFolder(input.cwd);
  if (input.prompt !== undefined) checkTyped(input.prompt);
  const loaded = loadConfig(places.home, workspaceOf(input.cwd));
  const { config } = loaded;
  const mode = modeName === undefined ? findMode(agent, kind, args) : findModeByName(agent, modeName);
  if (!mode) throw notThatKind(agent, kind);
  const marker = randomBytes(16).toString("hex");
  const server = mode.sources.events ? await freshServer() : null;
  const plan = mode.plan({
    sessionId,
    args,
    cwd: input.cwd,
    model,
    hasPrompt: input.prompt !== undefined,
    env: input.env,
    freshId: uuid(),
    continues,
    answering: await answering(agent.sockets?.(input.env) ?? []),
    hookScript: places.hookScript,
    folder: launchFolder(places.home, marker),
    home: places.home,
    node: programs.node,
    programs: { scripted: programs.scripted },
    server,
  });
  const { hasScreen } = hostOf(mode.host);
  if (!hasScreen) checkNeedsNoTerminal(input);
  const view = input.view ?? (config.view === "tmux" ? "tmux" : null);
  const launch: Launch = {
    marker,
    at: nowOf(context),
    host: mode.host,
    mode: mode.name,
    view: hasScreen ? view : null,
    args,
    cwd: input.cwd,
    envNames: Object.keys(input.env).sort(),
    hasPrompt: input.prompt !== undefined,
    tellsTurns: mode.capabilities.tellsTurns,
    closesInput: input.closesInput ?? false,
    keepsChildren: input.keepChildren ?? false,
    limits: launchLimits(input, limitsOf(loaded, { agentType: agent.type, purpose, cwd: input.cwd })),
    waitPattern: input.waitPattern ?? null,
  };
  const secrets = [...secretsOf(config, input.env), ...(plan.server ? [plan.server.password] : [])];
  return { agent, mode, kind, launch, plan, input, secrets, config };
}

/** A view that was asked for by name has to be possible; one that only the settings want is not worth a refusal. */
export async function checkView(daemon: Daemon, { input }: PlannedLaunch): Promise<void> {
  if (input.view === "tmux") await listTmuxViews({ socketDir: daemon.services.places.run });
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
    hint: `It can be ${[...new Set(agent.modes.map((mode) => mode.kind))].join(" or ")}.`,
  });
}

/** The agent binds the port itself: until it does another program may take it, and then it does not start. */
async function freshServer(): Promise<LaunchRequest["server"]> {
  return { port: await freePort(), password: randomBytes(32).toString("hex") };
}

function uuid(): string {
  return process.getBuiltinModule("node:crypto").randomUUID();
}

/** The caller's limits win over those of the settings; null lifts a limit. */
function launchLimits(input: LaunchInput, settings: ReturnType<typeof limitsOf>): Limit[] {
  const { timeoutMs, idleTimeoutMs, maxCostNanoUsd, maxTokens } = input;
  const asked: Readonly<Record<Limit["kind"], number | null>> = {
    timeout: timeoutMs === undefined ? settings.timeout : timeoutMs,
    idle_timeout: idleTimeoutMs === undefined ? settings.idle_timeout : idleTimeoutMs,
    max_cost: maxCostNanoUsd === undefined ? settings.max_cost : maxCostNanoUsd,
    max_tokens: maxTokens === undefined ? settings.max_tokens : maxTokens,
  };
  return LIMITS.flatMap(({ kind, unit }) => {
    const allowed = asked[kind];
    return allowed === null ? [] : [{ kind, allowed, unit } as Limit];
  });
}

const LIMITS = [
  ...TIME_LIMITS.map((kind) => ({ kind, unit: "ms" }) as const),
  { kind: "max_cost", unit: "nano_usd" },
  { kind: "max_tokens", unit: "tokens" },
] as const satisfies readonly Omit<Limit, "allowed">[];
