import { resolve } from "node:path";
import { checkMetadata, checkOneOf, checkText } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import { checkBudgetLeft } from "../domain/limits/budget-left.ts";
import type { Launch } from "../domain/session/carried.ts";
import type { EventBody } from "../domain/session/event.ts";
import type { Evidence } from "../domain/session/evidence.ts";
import { checkReference, checkSessionId, makeSessionId } from "../domain/session/id.ts";
import { checkNameIsFree } from "../domain/session/name.ts";
import {
  AGENT_TYPES,
  type AgentType,
  CHANNELS,
  type Channel,
  DEFAULT_IDENTITY,
  type Identity,
  KINDS,
  type Kind,
  type SessionRow,
} from "../domain/session/session.ts";
import { firstTurn } from "../domain/supervise/decide-turn.ts";
import type { Instant } from "../domain/time.ts";
import { identifyProcess } from "../machine/process.ts";
import { randomBytes } from "../machine/random.ts";
import { gitPlaceOf, workspaceOf } from "../machine/workspace.ts";
import type { Decide } from "../store/store.ts";
import { type Context, nowOf, stamp } from "./context.ts";

export interface CreateInput {
  readonly id?: string;
  readonly name?: string;
  readonly agentName?: string;
  readonly agentType?: AgentType;
  readonly kind?: Kind;
  readonly channel?: Channel;
  readonly role?: string;
  readonly model?: string;
  readonly purpose?: string;
  readonly goal?: string;
  readonly chainId?: string;
  readonly taskId?: string;
  readonly parentId?: string;
  readonly metadata?: JsonObject;
  /** The folder that the work belongs to; by default the git root of the working folder. */
  readonly workspace?: string;
  /** Whether a record file is kept in the workspace. */
  readonly file?: boolean;
  /** The process that does the work, where there is one. */
  readonly pid?: number;
}

const TRIES = 20;

/** Makes the record of a session that someone else carries, and returns its id. */
export async function createSession(context: Context, input: CreateInput): Promise<string> {
  return makeRecord(context, input, {
    origin: "created",
    state: "running",
    evidence: { source: "declared", rule: "create", excerpt: null },
    process: input.pid === undefined ? null : identifyProcess(input.pid),
  });
}

/** The first facts of a session that Rollcall carries itself. */
export interface StartInput extends CreateInput {
  readonly launch: Launch;
  readonly nativeId: string | null;
  readonly forkedFrom?: string;
  /** Its first text in one line, without secrets. */
  readonly about?: string;
  /** The id of its first event: a second record with the same one is refused. */
  readonly eventId?: string;
}

/** Makes the record of a session before its process: whatever happens next, something knows of it. */
export async function createCarried(context: Context, input: StartInput): Promise<string> {
  return makeRecord(context, input, {
    origin: "started",
    state: "starting",
    evidence: { source: "operator", rule: "start", excerpt: null },
    process: null,
    launch: input.launch,
  });
}

const NO_PLACE = { workspacePath: null, gitBranch: null, gitCommit: null };

/** Makes the record of a session that was found, and that someone else started. Its folder may not be known. */
export async function createObserved(
  context: Context,
  input: CreateInput & { readonly nativeId: string; readonly evidence: Evidence },
): Promise<string> {
  return makeRecord(
    context,
    { ...input, file: false, ...(input.workspace === undefined ? { place: NO_PLACE } : {}) },
    {
      origin: "observed",
      state: "unknown",
      evidence: input.evidence,
      process: null,
    },
  );
}

export interface SubagentInput {
  readonly agentName?: string;
  readonly purpose?: string;
  readonly nativeId: string;
  readonly evidence: Evidence;
  /** When it began, where its transcript says so. */
  readonly createdAt?: Instant;
}

/** Makes the record of a sub-agent, which works where its parent does. */
export async function createSubagent(
  context: Context,
  parent: SessionRow,
  { evidence, createdAt, ...input }: SubagentInput,
): Promise<string> {
  const { id: parentId, agentType, agentVersion, model, channel } = parent;
  const { machine, workspacePath, gitBranch, gitCommit, chainId } = parent;
  const place = { agentVersion, model, machine, workspacePath, gitBranch, gitCommit, chainId };
  const identity = { agentType, kind: "autonomous", channel, parentId } as const;
  return makeRecord(
    { ...context, env: {} },
    { ...identity, ...input, file: false, place },
    {
      origin: "subagent",
      state: "running",
      evidence,
      process: null,
      ...(createdAt === undefined ? {} : { createdAt }),
    },
  );
}

type Beginning = Omit<Extract<EventBody, { kind: "created" }>, "kind" | "identity" | "hasFile">;

async function makeRecord(
  context: Context,
  input: CreateInput & Partial<StartInput> & { readonly place?: Partial<Identity> },
  beginning: Beginning,
): Promise<string> {
  const givenId = input.id === undefined ? undefined : checkNewId(context, input.id);
  const identity: Identity = {
    ...(await identityOf(context, input)),
    ...input.place,
    nativeId: input.nativeId ?? null,
    forkedFrom: input.forkedFrom ?? null,
  };
  const wantsFile = input.file ?? context.config.record_files;
  const hasFile = wantsFile && context.files.canKeep(identity.workspacePath);
  const body = { kind: "created", identity, hasFile, ...beginning } as const;
  const create = async (id: string) => {
    const first = { ...stamp(context, body), ...(input.eventId === undefined ? {} : { id: input.eventId }) };
    const turn =
      beginning.launch === undefined
        ? []
        : firstTurn(beginning.launch, { turn: null, generation: 1 }, input.about);
    const decide: Decide = (_, { findNamesake, findSpentBudget }) => {
      checkNameIsFree({ ...identity, ...beginning }, findNamesake, "Choose another with --name.");
      if (beginning.launch !== undefined)
        checkBudgetLeft(id, findSpentBudget(identity.parentId, beginning.launch.limits));
      return [first, ...turn.map((each) => stamp(context, each))];
    };
    await context.store.change(id, decide, { expectedSeq: 0 });
    if (hasFile) await context.files.follow(id);
    return id;
  };
  return givenId === undefined ? withFreshId(context, create) : withGivenId(givenId, create);
}

/** An id goes into file names and every table, so it is never redacted: one that is a secret is refused. */
export function checkNewId(context: Context, id: string): string {
  if (context.redact(id) === id) return checkSessionId(id);
  throw new RollcallError("bad_id", "This id looks like a secret, and ids are shown everywhere.", {
    hint: "Choose another one.",
  });
}

async function withGivenId(id: string, create: (id: string) => Promise<string>): Promise<string> {
  try {
    return await create(id);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new RollcallError("id_in_use", `There is a session ${id} already; it was left as it is.`, {
      hint: "Choose another id, or leave --id out.",
      facts: { sessionId: id },
    });
  }
}

async function withFreshId(context: Context, create: (id: string) => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await create(makeSessionId(nowOf(context), randomBytes(3).toString("hex")));
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof RollcallError && error.code === "seq_conflict";
}

async function identityOf(context: Context, input: CreateInput): Promise<Identity> {
  const folder = input.workspace ?? context.cwd;
  return {
    ...DEFAULT_IDENTITY,
    ...textsOf(input),
    agentType:
      input.agentType === undefined ? "unknown" : checkOneOf(AGENT_TYPES, input.agentType, "agent type"),
    kind: input.kind === undefined ? "interactive" : checkOneOf(KINDS, input.kind, "kind"),
    channel: input.channel === undefined ? context.channel : checkOneOf(CHANNELS, input.channel, "channel"),
    name: input.name === undefined ? null : checkReference(input.name, "name"),
    parentId: await parentOf(context, input.parentId),
    machine: context.config.machine,
    workspacePath:
      input.workspace === undefined ? workspaceOf(context.cwd) : resolve(context.cwd, input.workspace),
    ...gitPlaceOf(resolve(context.cwd, folder)),
    metadata: input.metadata === undefined ? {} : checkMetadata(input.metadata),
  };
}

const TEXTS = ["agentName", "role", "model", "purpose", "goal", "chainId", "taskId"] as const;

function textsOf(input: CreateInput): Partial<Identity> {
  const given = TEXTS.filter((field) => input[field] !== undefined);
  return Object.fromEntries(
    given.map((field) => [field, checkText(input[field], field, field === "goal" ? 65_536 : 4096)]),
  );
}

/** A parent that was named must exist; the session around us is one only if it is known here. */
async function parentOf(context: Context, named: string | undefined): Promise<string | null> {
  const around = context.env.ROLLCALL_SESSION_ID;
  const id = named ?? around;
  if (id === undefined || id === "") return null;
  if (await context.store.find(id)) return id;
  if (named === undefined) return null;
  throw new RollcallError("session_not_found", `There is no session ${named} to be the parent.`, {
    hint: "See `rollcall list`.",
  });
}
