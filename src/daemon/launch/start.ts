import type { Agent } from "../../agents/agent.ts";
import { findAgent } from "../../agents/registry.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import { checkBudgetLeft } from "../../domain/limits/budget-left.ts";
import type { Limit } from "../../domain/limits/limit.ts";
import { createRedactor } from "../../domain/redact/redact.ts";
import { checkPattern } from "../../domain/screen/screen-rules.ts";
import { oneLine } from "../../domain/session/activity.ts";
import { NAMED_TYPES } from "../../domain/session/agent-type.ts";
import type { Launch } from "../../domain/session/carried.ts";
import { checkNameIsFree } from "../../domain/session/name.ts";
import { isFinal } from "../../domain/session/phase.ts";
import { decideResume } from "../../domain/session/resume.ts";
import {
  type AgentType,
  type Channel,
  DEFAULT_IDENTITY,
  type SessionRecord,
  type SessionRow,
} from "../../domain/session/session.ts";
import { isEnded, isLive } from "../../domain/session/state.ts";
import { isLost } from "../../domain/supervise/decide-end.ts";
import { firstTurn } from "../../domain/supervise/decide-turn.ts";
import { type Context, stamp } from "../../record/context.ts";
import { type CreateInput, createCarried } from "../../record/create.ts";
import { refuseSubagent } from "../../record/subagent-error.ts";
import { askerNow, withAsker } from "../asker.ts";
import { resumePolicyNow } from "../config-now.ts";
import type { Daemon } from "../daemon.ts";
import { faultPoint } from "../fault-point.ts";
import { findByKey, startKeyId } from "../operations/key.ts";
import { checkNotHeld } from "./held.ts";
import { launch, openPlanned } from "./launch.ts";
import { modeOf, offers } from "./mode-of.ts";
import { checkView, type LaunchInput, type PlannedLaunch, planLaunch } from "./plan-launch.ts";
import { checkStaysUnderBudgets } from "./under-budgets.ts";
import { untilUp } from "./until-up.ts";

export interface StartInput extends LaunchInput, Omit<CreateInput, "agentType" | "pid"> {
  readonly agentType: AgentType;
  readonly args: readonly string[];
  /** The same key again within a day answers with the session of the first call, and starts nothing. */
  readonly key?: string;
}

/** Calls with one key come one after the other: the second sees what the first has made. */
export async function startSession(daemon: Daemon, { key, ...input }: StartInput): Promise<SessionRecord> {
  if (key === undefined) return startNew(daemon, input);
  return daemon.keyedStarts.run(async () => {
    const { event, freeId } = await findByKey(daemon, startKeyId(key));
    return event
      ? daemon.services.rollcall.get(event.sessionId)
      : startNew(daemon, { ...input, eventId: freeId });
  });
}

/** Record, holder, process: in this order, so that whatever dies in between is found again. */
async function startNew(
  daemon: Daemon,
  input: StartInput & { readonly eventId?: string },
): Promise<SessionRecord> {
  const { rollcall, context } = daemon.services;
  const agent = agentOf(input.agentType);
  if (input.waitPattern !== undefined) checkPattern(input.waitPattern);
  const planned = await planLaunch(daemon, {
    agent,
    kind: input.kind ?? "interactive",
    sessionId: input.id ?? "",
    args: input.args,
    model: input.model ?? null,
    purpose: input.purpose ?? DEFAULT_IDENTITY.purpose,
    continues: null,
    input,
  });
  faultPoint("start.asked");
  await checkView(daemon, planned);
  const start = async () => {
    const id = await createRecord(context, input, planned);
    await launch(daemon, openPlanned(daemon, id, 1, planned), planned);
    return rollcall.get(id);
  };
  return daemon.firstUse.start(planned.plan.makes, start, async ({ id }) => untilUp(daemon, id));
}

export interface ResumeInput extends LaunchInput {
  readonly sessionId: string;
  readonly ifResumable?: boolean;
  readonly channel?: Channel;
}

/** Goes on with the conversation of an ended session, under its own id, as a new generation. */
export async function resumeSession(daemon: Daemon, input: ResumeInput): Promise<SessionRecord> {
  const { rollcall, context } = daemon.services;
  const row = await rowOf(daemon, input.sessionId);
  const planned = await planAgain(daemon, row, input, "resume");
  // Its end is known a moment before everything of it is cleared away.
  if (isEnded(row.state) || isLost(row)) await daemon.get(row.id)?.closed;
  checkResumable(daemon, row, input.ifResumable ?? false);
  await checkStaysUnderBudgets(context, row.id);
  await checkNotHeld(daemon, row, input.env);
  await checkView(daemon, planned);
  await daemon.bringBack(row);
  const evidence = { source: "operator", rule: "resume", excerpt: null } as const;
  const channel = input.channel ?? null;
  const asking = withAsker(context);
  const change = await context.store.change(row.id, (now, { findNamesake, findSpentBudget }) => {
    if (!now || now.generation !== row.generation || isLive(now.state)) return [];
    checkBudgetLeft(row.id, findSpentBudget(now.parentId, planned.launch.limits));
    checkNameIsFree({ ...now, state: "resuming" }, findNamesake, renameHint(row));
    const generation = now.generation + 1;
    const launch = withoutSecrets(planned);
    const body = { kind: "resumed", state: "resuming", evidence, generation, launch } as const;
    const turn = firstTurn(planned.launch, { turn: now.turn, generation }, aboutOf(planned));
    return [body, ...turn].map((each) => ({ ...stamp(asking, each), channel }));
  });
  if (change.events.length === 0) throw stillThere(change.row);
  await launch(daemon, openPlanned(daemon, row.id, change.row.generation, planned), planned);
  return rollcall.get(row.id);
}

export interface ForkInput extends LaunchInput {
  readonly sessionId: string;
  readonly name?: string;
  readonly metadata?: JsonObject;
  readonly channel?: Channel;
}

/** A new session that begins with a copy of the conversation; the first one is not touched. */
export async function forkSession(daemon: Daemon, input: ForkInput): Promise<SessionRecord> {
  const { rollcall, context } = daemon.services;
  const row = await rowOf(daemon, input.sessionId);
  const planned = await planAgain(daemon, row, input, "fork");
  const identity: CreateInput = {
    agentType: row.agentType,
    kind: row.kind,
    ...given({ name: input.name, agentName: row.agentName, role: row.role, model: row.model }),
    ...given({ purpose: row.purpose, goal: row.goal, chainId: row.chainId, taskId: row.taskId }),
    ...given({ parentId: askerNow()?.sessionId ?? row.parentId }),
    ...(input.channel === undefined ? {} : { channel: input.channel }),
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
  };
  await checkView(daemon, planned);
  await daemon.bringBack(row);
  const id = await createRecord(
    context,
    { ...identity, cwd: input.cwd, env: input.env, forkedFrom: row.id },
    planned,
  );
  await launch(daemon, openPlanned(daemon, id, 1, planned), planned);
  return rollcall.get(id);
}

function renameHint({ id }: SessionRow): string {
  return `Give one of them another name with \`rollcall update ${id} --name NAME\`.`;
}

function agentOf(type: AgentType): Agent {
  const agent = findAgent(type);
  if (agent) return agent;
  throw new RollcallError("not_offered", `Rollcall cannot start ${type} yet.`, {
    hint: `It can start ${NAMED_TYPES.join(", ")}, and any command after \`--\`.`,
  });
}

/** Works for the caller: in its folder, as a child of the session around it. */
async function createRecord(
  context: Context,
  input: Omit<CreateInput, "pid"> & {
    readonly cwd: string;
    readonly env: LaunchInput["env"];
    readonly forkedFrom?: string;
    readonly eventId?: string;
  },
  planned: PlannedLaunch,
): Promise<string> {
  const callers: Context = {
    ...withAsker(context),
    config: planned.config,
    cwd: input.cwd,
    // The session around is the parent by default, also of a caller that has emptied its environment.
    env: { ROLLCALL_SESSION_ID: askerNow()?.sessionId ?? undefined, ...input.env },
    channel: input.channel ?? "cli",
  };
  const { id, env: _, cwd: __, workspace, eventId, ...words } = input;
  const parentId = input.parentId ?? callers.env.ROLLCALL_SESSION_ID ?? null;
  await checkStaysUnderBudgets(context, parentId);
  return createCarried(callers, {
    ...createRedactor(planned.secrets).value(words),
    ...given({ id, workspace, eventId, about: aboutOf(planned) }),
    launch: withoutSecrets(planned),
    nativeId: planned.plan.nativeId,
  });
}

/** As it is kept: the caller's secrets may stand in the arguments, too. */
function withoutSecrets({ launch: planned, secrets }: PlannedLaunch): Launch {
  return { ...planned, args: createRedactor(secrets).value(planned.args) };
}

/** Its first text in one line. Secrets go first: a cut could leave half of one. */
function aboutOf({ input: { prompt }, secrets }: PlannedLaunch): string | undefined {
  return prompt === undefined ? undefined : oneLine(createRedactor(secrets).value(prompt));
}

async function planAgain(
  daemon: Daemon,
  row: SessionRow,
  input: LaunchInput,
  how: "resume" | "fork",
): Promise<PlannedLaunch> {
  refuseSubagent(row);
  const agent = findAgent(row.agentType);
  const mode = modeOf(row);
  // A fork leaves the conversation to whoever has it; one that was imported is over. Both need no launch of ours before.
  const isAnybodys = how === "fork" || row.origin === "imported";
  const isOpen = row.carried !== null || (isAnybodys && row.nativeId !== null);
  if (!isOpen || !agent || !mode) throw notCarried(row, how);
  if (!offers(mode, how, daemon.get(row.id)?.target.memory))
    throw new RollcallError("not_offered", `Session ${row.id} has no conversation to ${how}.`, {
      hint: "Start it anew with `rollcall start`.",
    });
  if (row.nativeId === null)
    throw new RollcallError("no_native_id", `The agent's own id of session ${row.id} was never seen.`);
  const { args = [], keepsChildren = false, limits = [] } = row.carried?.launch ?? {};
  if (args.some((arg) => arg.includes("[REDACTED:")))
    throw new RollcallError(
      "not_offered",
      `An argument of session ${row.id} was a secret, and was not kept.`,
      { hint: "Start it anew with `rollcall start`." },
    );
  const continues = { nativeId: row.nativeId, how };
  return planLaunch(daemon, {
    agent,
    kind: row.kind,
    modeName: mode.name,
    sessionId: row.id,
    args,
    model: row.model,
    purpose: row.purpose,
    continues,
    input: { keepChildren: keepsChildren, ...keptBudgets(limits), ...input },
  });
}

function notCarried({ id, nativeId }: SessionRow, how: "resume" | "fork"): RollcallError {
  if (nativeId === null)
    return new RollcallError(
      "not_carried",
      `Session ${id} is only a record; there is no conversation to ${how}.`,
    );
  return new RollcallError("not_carried", `Session ${id} was not started with Rollcall.`, {
    hint: `\`rollcall fork ${id}\` begins a new one with its conversation.`,
  });
}

/** A session keeps its budgets when it is resumed, and hands them on to a fork; time-outs are those of one launch. */
function keptBudgets(limits: Launch["limits"]): Pick<LaunchInput, "maxCostNanoUsd" | "maxTokens"> {
  const allowed = (kind: Limit["kind"]) => limits.find((limit) => limit.kind === kind)?.allowed;
  return given({ maxCostNanoUsd: allowed("max_cost"), maxTokens: allowed("max_tokens") });
}

function checkResumable(daemon: Daemon, row: SessionRow, needsVerdict: boolean): void {
  if (isFinal(row.phase))
    throw new RollcallError("finalized", `The work on session ${row.id} is ${row.phase}, for good.`, {
      hint: `\`rollcall fork ${row.id}\` begins a new one with its conversation.`,
    });
  if (isLive(row.state) || daemon.get(row.id)) throw stillThere(row);
  const { services } = daemon;
  const verdict = decideResume(row, resumePolicyNow(services, row), services.context.now());
  if (needsVerdict && !verdict.resume)
    throw new RollcallError("not_resumable", `Work on session ${row.id} cannot go on: ${verdict.reason}.`, {
      hint: "Leave --if-resumable out to resume its conversation nevertheless.",
      facts: { reason: verdict.reason },
    });
}

function stillThere(row: SessionRow): RollcallError {
  return new RollcallError("conversation_held", `Session ${row.id} is still ${row.state}.`, {
    hint:
      row.state === "paused"
        ? `\`rollcall continue ${row.id}\` lets it go on.`
        : `Send to it with \`rollcall send ${row.id} TEXT\`, or end it first.`,
  });
}

export async function rowOf(daemon: Daemon, id: string): Promise<SessionRow> {
  const stored = await daemon.services.context.store.find(id);
  if (stored) return stored.row;
  throw new RollcallError("session_not_found", `There is no session ${id}.`, {
    hint: "See `rollcall list`.",
  });
}

function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}
