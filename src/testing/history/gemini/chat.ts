import type { RequestTruth } from "../truth.ts";
import type { World } from "../world.ts";

type Record = Readonly<{ [key: string]: unknown }>;

/** One conversation as it is written, record by record, and what is true of it. */
export class GeminiChat {
  readonly world: World;
  readonly parent: GeminiChat | null;
  readonly id: string;
  readonly path: string;
  readonly records: Record[];
  readonly requests: RequestTruth[] = [];
  /** Those that were taken back stay visible: a rewind only ends its turn. */
  readonly texts: string[] = [];
  /** The paths of files with nothing but a head. */
  readonly heads: string[] = [];
  turns = 0;
  /** Only newer releases write so. */
  isNew = false;

  constructor(world: World, parent: GeminiChat | null) {
    this.world = world;
    this.parent = parent;
    this.id = world.uuid();
    const at = world.tick();
    this.path = this.#pathAt(at);
    const kind = parent === null ? "main" : "subagent";
    this.records = [
      { sessionId: this.id, projectHash: world.hex(64), startTime: at, lastUpdated: at, kind },
      { $set: { messages: [this.#context()], lastUpdated: at } },
    ];
  }

  /** A text of a person; returns the id of its message. */
  say(text: string): string {
    this.turns += 1;
    this.texts.push(text);
    return this.#add({ type: "user", content: [{ text }] });
  }

  /** An answer; one that calls a tool is written again with the result. */
  answer(request: RequestTruth, { callsTool }: { readonly callsTool: boolean }): void {
    const { world } = this;
    const timestamp = world.tick();
    this.requests.push({ ...request, at: Date.parse(timestamp) });
    const message = {
      ...{ id: world.uuid(), timestamp, type: "gemini", content: callsTool ? "" : world.words(2) },
      ...{ thoughts: [], tokens: this.#tokensOf(request), model: request.model },
    };
    this.records.push(message);
    if (!callsTool) return;
    const call = { id: world.uuid(), name: "run_shell_command", args: { command: "ls" } };
    const result = [{ functionResponse: { id: call.id, response: { output: world.words(2) } } }];
    world.traps.add("gemini: message written again");
    this.records.push({ ...message, toolCalls: [{ ...call, status: "success", result }] });
    this.#add({ type: "user", content: result });
  }

  notice(type: "info" | "error", content: string): void {
    this.#add({ type, content });
  }

  /** After a cancel all messages are written again, under other ids and without their tokens. */
  repeat(): void {
    this.isNew = true;
    this.records.push({ ...this.#context(), id: this.world.uuid() });
    this.#add({ type: "user", content: [{ text: "said before" }] });
    this.#add({ type: "gemini", content: [{ text: "answered before" }], thoughts: [], tokens: null });
    this.records.push({ $set: { messages: [this.#context()] } });
  }

  rewind(id: string): void {
    this.isNew = true;
    this.records.push({ $rewindTo: id });
  }

  /** The head of a resumed conversation may stand again, and in a file of its own. */
  resume(): void {
    this.world.pass(1 + this.world.random.int(100));
    this.records.push({ $set: { sessionId: this.id } });
    if (this.parent === null && this.world.lay("gemini: file with a lone head", 0.5))
      this.heads.push(this.#pathAt(this.world.tick()));
  }

  /** As older releases wrote it: each message once, as it was in the end. */
  asWhole(): string {
    const byId = new Map<string, Record>();
    for (const record of this.records) if (typeof record.id === "string") byId.set(record.id, record);
    return JSON.stringify({ ...this.records[0], messages: [this.#context(), ...byId.values()] });
  }

  #add(fields: Record): string {
    const id = this.world.uuid();
    this.records.push({ id, timestamp: this.world.tick(), ...fields });
    return id;
  }

  #context(): Record {
    const content = [{ text: "<session_context>\nwhere we are\n</session_context>" }];
    return { id: "d04923d38bb0f6017037e74183378ef4", timestamp: this.world.tick(0), type: "user", content };
  }

  /** Thoughts stand beside the output or inside it, and the cache inside the input or beside it: the sum tells. */
  #tokensOf({ input, output, cacheRead, reasoning }: RequestTruth): Record {
    const thoughts = reasoning ?? 0;
    const isInside = thoughts > 0 && this.world.lay("gemini: thoughts inside the output", 0.2);
    const isNet = !isInside && cacheRead > 0 && this.world.lay("gemini: input net of the cache", 0.2);
    return {
      ...{ input: isNet ? input : input + cacheRead, output: isInside ? output : output - thoughts },
      ...{ cached: cacheRead, thoughts, tool: 0, total: input + cacheRead + output },
    };
  }

  #pathAt(at: string): string {
    const minute = at.slice(0, 16).replaceAll(":", "-");
    return `.gemini/tmp/project/chats/session-${minute}-${this.id.slice(0, 8)}.jsonl`;
  }
}
