import { checkOneOf, checkText } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import { OUTCOMES, type Outcome } from "../domain/session/outcome.ts";
import type { FinalPhase } from "../domain/session/phase.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { toInstant } from "../domain/time.ts";
import { ENTRY_ROLES, type NewEntry } from "../domain/transcript/entry.ts";
import { randomBytes } from "../machine/random.ts";
import type { CreateInput } from "./create.ts";
import { defaultRollcall } from "./default.ts";
import {
  type Message,
  type TokenUsage,
  type ToolCall,
  tokenUsageOf,
  toMessage,
  toToolCall,
} from "./files/record-file.ts";
import { findRecordFile, restoreFile } from "./files/restore-files.ts";
import type { Rollcall } from "./rollcall.ts";

export interface SessionOptions {
  /** The store to use; by default the user's own. */
  readonly rollcall?: Rollcall;
}

export interface NewToolCall {
  readonly name: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly governanceResult?: Json;
}

export interface AddedUsage {
  /** Names the request, so that adding it twice counts once; by default each call is a request of its own. */
  readonly requestKey?: string;
  readonly model?: string;
  /** Uncached input. What is left out is unknown, not zero. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that the cache keeps for an hour. */
  readonly cacheWriteHour?: number;
  readonly reasoning?: number;
  /** Searches that the provider ran for this request. */
  readonly webSearches?: number;
  readonly serviceTier?: string;
  /** `fast` costs more with some models. */
  readonly speed?: string;
  /** The cost by the word of the provider or the runtime. The computed cost is kept beside it. */
  readonly costUsd?: number;
}

const PHASE_OF: Readonly<Record<Outcome, FinalPhase>> = {
  success: "completed",
  failure: "failed",
  interrupted: "abandoned",
};

/** The session of a program that is itself an agent runtime. Every call is durable when its promise resolves. */
export class Session {
  readonly #rollcall: Rollcall;
  #record: SessionRecord;
  readonly #messages: Message[] = [];
  readonly #toolCalls: ToolCall[] = [];

  private constructor(rollcall: Rollcall, record: SessionRecord) {
    this.#rollcall = rollcall;
    this.#record = record;
  }

  static async create(input: CreateInput = {}, options: SessionOptions = {}): Promise<Session> {
    const rollcall = options.rollcall ?? (await defaultRollcall());
    return new Session(rollcall, await rollcall.create(input));
  }

  /** From the store or, where it has no such session, from the record file in the workspace. */
  static async load(id: string, options: SessionOptions = {}): Promise<Session> {
    const rollcall = options.rollcall ?? (await defaultRollcall());
    const found = await rollcall.find(id);
    if (!found) await restoreFile(rollcall, findRecordFile(rollcall, id));
    const session = new Session(rollcall, found ?? (await rollcall.get(id)));
    await session.#readEntries();
    return session;
  }

  get id(): string {
    return this.#record.id;
  }
  get role(): string | null {
    return this.#record.role;
  }
  get model(): string | null {
    return this.#record.model;
  }
  get chainId(): string | null {
    return this.#record.chainId;
  }
  get taskId(): string | null {
    return this.#record.taskId;
  }
  get startTime(): string {
    return this.#record.startedAt ?? this.#record.createdAt;
  }
  get endTime(): string | null {
    return this.#record.finalizedAt ?? this.#record.endedAt;
  }
  get outcome(): Outcome | null {
    return this.#record.outcome;
  }
  get tokenUsage(): TokenUsage {
    return tokenUsageOf(this.#record.usage);
  }
  get messages(): Message[] {
    return structuredClone(this.#messages);
  }
  get toolCalls(): ToolCall[] {
    return structuredClone(this.#toolCalls);
  }
  /** The whole record, as of the last call. */
  get record(): SessionRecord {
    return this.#record;
  }

  async addMessage(message: Message): Promise<void> {
    const entry: NewEntry = {
      role: checkOneOf(ENTRY_ROLES, message.role, "role"),
      kind: "text",
      text: checkText(message.content, "content", 64_000_000),
      tool: null,
      ...(message.name === undefined ? {} : { name: message.name }),
      ...(message.toolCalls === undefined ? {} : { toolCalls: message.toolCalls as readonly JsonObject[] }),
    };
    await this.#add(entry);
  }

  async recordToolCall(call: NewToolCall): Promise<void> {
    await this.#add({ role: "assistant", kind: "tool_call", text: null, tool: { ...call } });
  }

  async addUsage(usage: AddedUsage): Promise<void> {
    await this.#rollcall.recordUsage(this.id, [
      {
        requestKey: usage.requestKey ?? randomBytes(16).toString("hex"),
        at: toInstant(this.#rollcall.context.now()),
        model: usage.model ?? this.model,
        tokensInput: count(usage.input, "input"),
        tokensOutput: count(usage.output, "output"),
        tokensCacheRead: count(usage.cacheRead, "cacheRead"),
        tokensCacheWrite: count(usage.cacheWrite, "cacheWrite"),
        tokensCacheWriteHour: count(usage.cacheWriteHour, "cacheWriteHour"),
        tokensReasoning: count(usage.reasoning, "reasoning"),
        webSearches: count(usage.webSearches, "webSearches"),
        serviceTier: usage.serviceTier ?? null,
        speed: usage.speed ?? null,
        reportedNanoUsd: usage.costUsd === undefined ? null : Math.round(usage.costUsd * 1e9),
        computedNanoUsd: null,
        pricedBy: null,
      },
    ]);
    await this.#refresh();
  }

  /** Ends the work. The same outcome again changes nothing; another one is refused. */
  async end(outcome: Outcome): Promise<void> {
    this.#record = await this.#rollcall.finalize(this.id, PHASE_OF[checkOneOf(OUTCOMES, outcome, "outcome")]);
  }

  /** Everything is in the store already; this brings the record file up with it, usage included. */
  async save(): Promise<void> {
    await this.#refresh();
    await this.#rollcall.saveFile(this.id);
  }

  async #add(entry: NewEntry): Promise<void> {
    const seq = await this.#rollcall.addEntry(this.id, entry);
    // Read back, so that what was redacted on the way is also redacted here.
    for await (const stored of this.#rollcall.entries(this.id, { after: seq - 1, limit: 1 }))
      this.#keep(stored);
    await this.#refresh();
  }

  async #readEntries(): Promise<void> {
    for await (const entry of this.#rollcall.entries(this.id)) this.#keep(entry);
  }

  #keep(entry: Parameters<typeof toMessage>[0]): void {
    if (entry.kind === "tool_call") this.#toolCalls.push(toToolCall(entry));
    else this.#messages.push(toMessage(entry));
  }

  async #refresh(): Promise<void> {
    this.#record = await this.#rollcall.get(this.id);
  }
}

function count(value: number | undefined, what: string): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RollcallError("bad_input", `${what} must be a whole number from 0 up, not ${value}.`);
}
