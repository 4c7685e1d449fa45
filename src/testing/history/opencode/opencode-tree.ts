import type { RequestTruth, SessionTruth } from "../truth.ts";
import type { World } from "../world.ts";
import type { OpencodeMessage, OpencodeSession } from "./database.ts";

interface Made {
  readonly session: OpencodeSession;
  readonly truth: SessionTruth<"opencode">;
}

/** Conversations of OpenCode with their traps, and what is true of them. */
export function generateOpencode(world: World): readonly Made[] {
  const made: Made[] = [];
  for (let left = 1 + world.random.int(4); left > 0; left--) {
    const origin = new Conversation(world, null);
    origin.talk(1 + world.random.int(4));
    made.push(origin.made(null));
    if (world.lay("opencode: fork", 0.4)) made.push(forkOf(world, origin).made(origin.id));
    if (world.lay("opencode: sub-agent", 0.3)) {
      const helper = new Conversation(world, origin.id);
      helper.talk(1);
      made.push(helper.made(null));
    }
  }
  return made;
}

/** A fork has copies of all messages under new ids, with their times; and then words of its own, or none. */
function forkOf(world: World, origin: Conversation): Conversation {
  world.pass(1);
  const fork = new Conversation(world, null);
  fork.copy(origin.messages);
  if (world.lay("opencode: fork without words of its own", 0.2)) return fork;
  fork.talk(1 + world.random.int(2));
  return fork;
}

class Conversation {
  readonly id: string;
  readonly messages: OpencodeMessage[] = [];
  readonly #world: World;
  readonly #parentId: string | null;
  readonly #createdMs: number;
  readonly #requests: RequestTruth[] = [];
  readonly #texts: string[] = [];

  constructor(world: World, parentId: string | null) {
    this.#world = world;
    this.#parentId = parentId;
    this.id = `ses_${world.hex(26)}`;
    world.tick();
    this.#createdMs = world.now;
  }

  made(forkedFrom: string | null): Made {
    const { id } = this;
    return {
      session: { id, parentId: this.#parentId, createdMs: this.#createdMs, messages: this.messages },
      truth: {
        agent: "opencode",
        ...{ nativeId: id, parent: this.#parentId, forkedFrom, requests: this.#requests },
        ...{ turns: this.#texts.length, visible: this.#texts, isEmpty: this.#texts.length === 0 },
      },
    };
  }

  copy(messages: readonly OpencodeMessage[]): void {
    for (const message of messages) this.messages.push({ ...message, id: this.#newId() });
  }

  talk(turns: number): void {
    for (let left = turns; left > 0; left--) {
      const text = this.#world.words(3);
      this.#texts.push(text);
      this.#say({ role: "user", time: { created: this.#later() } }, [
        { type: "text", text },
        { type: "text", text: "added by OpenCode", synthetic: true },
      ]);
      this.#answerAll();
    }
  }

  #answerAll(): void {
    const calls = this.#world.random.int(3);
    for (let call = 0; call < calls; call++) this.#answer({ finish: "tool-calls" });
    if (this.#world.lay("opencode: denied, so that nothing follows a call", 0.1) && calls > 0) return;
    const error = this.#errorName();
    if (error !== undefined) {
      this.#fail(error);
      return;
    }
    if (this.#world.lay("opencode: summary that is a text of its own", 0.1))
      this.#say({ role: "user", time: { created: this.#later() } }, [{ type: "compaction", auto: true }]);
    this.#answer({ finish: "stop" });
  }

  #errorName(): string | undefined {
    if (this.#world.lay("opencode: interrupted answer without usage", 0.1)) return "MessageAbortedError";
    return this.#world.lay("opencode: error in place of an answer", 0.1) ? "APIError" : undefined;
  }

  #answer({ finish }: { readonly finish: string }): void {
    const created = this.#later();
    const completed = this.#later();
    const { int } = { int: (below: number) => this.#world.random.int(below) };
    const isFree = this.#world.lay("opencode: model without a known price", 0.2);
    const request: RequestTruth = {
      ...{ model: isFree ? "model-of-tomorrow" : "gpt-5", at: completed, input: 1 + int(9000) },
      ...{ output: 30 + int(2000), reasoning: int(30), cacheRead: int(5000), cacheWrite: int(500) },
      ...{ cacheWriteHour: 0, webSearches: 0, isFast: false },
      reportedNanoUsd: isFree ? null : (1 + int(100_000)) * 1000,
    };
    this.#requests.push(request);
    this.#say({ ...billed(request), role: "assistant", finish, time: { created, completed } }, [
      { type: "step-start" },
      { type: "text", text: this.#world.words(2), time: { start: created, end: completed } },
      // The same usage once more, a level below.
      { type: "step-finish", reason: finish, tokens: billed(request).tokens, cost: billed(request).cost },
    ]);
  }

  #fail(name: string): void {
    const time = { created: this.#later(), completed: this.#later() };
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const error = { name, data: { message: "no answer" } };
    this.#say({ role: "assistant", modelID: "gpt-5", providerID: "lab", cost: 0, tokens, error, time }, []);
  }

  #say(data: OpencodeMessage["data"], parts: readonly object[]): void {
    this.messages.push({ id: this.#newId(), data, parts });
  }

  /** Two messages of a session are never of the same moment. */
  #later(): number {
    this.#world.tick();
    this.#world.pass(1 / 3_600_000);
    return this.#world.now;
  }

  /** Ascending, as OpenCode's own. */
  #newId(): string {
    const place = String(this.messages.length).padStart(6, "0");
    return `msg_${this.id.slice(4)}${place}`;
  }
}

/** Its input is without the cache, and its output without the reasoning. */
function billed({ model, input, output, reasoning, cacheRead, cacheWrite, reportedNanoUsd }: RequestTruth) {
  const tokens = {
    ...{
      total: input + output + cacheRead + cacheWrite,
      input,
      output: output - (reasoning ?? 0),
      reasoning,
    },
    cache: { read: cacheRead, write: cacheWrite },
  };
  return { modelID: model, providerID: "lab", cost: (reportedNanoUsd ?? 0) / 1e9, tokens };
}
