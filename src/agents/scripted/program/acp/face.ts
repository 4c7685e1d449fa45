import type { Face, Listener } from "../face.ts";
import type { Answer, Item, ModelRequest, Request, TurnResult } from "../line.ts";
import { untilAborted } from "../turn.ts";
import type { Connection, Incoming } from "./connection.ts";
import { modelOptions } from "./models.ts";
import type { Opened } from "./opening.ts";
import { updatesOf } from "./updates.ts";

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** The agent as one that speaks the Agent Client Protocol: one conversation in one process. */
export class AcpFace implements Face {
  readonly #connection: Connection;
  readonly #opened: Opened;
  readonly #history: readonly Item[];
  /** The texts that are not answered yet, the oldest first. */
  readonly #prompts: Incoming["id"][] = [];
  readonly #asked = new Map<unknown, (answer: Answer) => void>();
  /** The call that was approved last. */
  #approved: { readonly id: string; readonly name: string } | undefined;
  readonly #callIds = new Map<string, string>();
  #requests = 0;
  #costUsd = 0;
  #model: string;

  constructor(connection: Connection, opened: Opened, history: readonly Item[]) {
    this.#connection = connection;
    this.#opened = opened;
    this.#history = history;
    this.#model = opened.options.model;
  }

  async open(listener: Listener): Promise<void> {
    const { id, method, options } = this.#opened;
    if (method === "session/load") for (const item of this.#history) this.#tell(updatesOf(item, true));
    const own = method === "session/new" || method === "session/fork" ? { sessionId: options.sessionId } : {};
    this.#connection.answer(id, { ...own, configOptions: modelOptions(this.#model) });
    this.#connection.listen(
      (message) => this.#hear(message, listener),
      () => listener.inputEnded(),
    );
  }

  show(given: Item): void {
    const item = this.#withCall(given);
    this.#tell(updatesOf(item, false));
    if (item.type === "result") this.#answer(item);
  }

  /** A call that was asked about has the id of its request. */
  #withCall(item: Item): Item {
    if (item.type !== "tool_call" && item.type !== "tool_result") return item;
    if (item.type === "tool_call" && this.#approved?.name === item.name)
      this.#callIds.set(item.id, this.#approved.id);
    this.#approved = undefined;
    return { ...item, id: this.#callIds.get(item.id) ?? item.id };
  }

  showWord(): void {}

  async flood(text: string): Promise<void> {
    const update = { sessionUpdate: "scripted_noise", text };
    this.#tell([update]);
    await new Promise((resolve) => setImmediate(resolve));
  }

  control(): void {}
  turnBegan(): void {}
  turnEnded(): void {}
  helper(): void {}

  /** The protocol has permissions, and no questions. */
  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    if (request.kind === "question") return { decision: "deny", reason: "nobody is there to ask" };
    const id = this.#requests++;
    const toolCall = {
      ...{ toolCallId: request.request_id, title: `Use ${request.tool}`, kind: "other", status: "pending" },
      ...{ name: request.tool, rawInput: request.input },
    };
    const { sessionId } = this.#opened.options;
    const params = { sessionId, toolCall, options: OPTIONS };
    this.#connection.send({ id, method: "session/request_permission", params });
    const answered = new Promise<Answer>((resolve) => this.#asked.set(id, resolve));
    try {
      const answer = await Promise.race([answered, untilAborted(signal)]);
      this.#decided(request, answer);
      return answer;
    } finally {
      this.#asked.delete(id);
    }
  }

  #decided({ request_id: id, tool: name }: Extract<Request, { kind: "permission" }>, answer: Answer): void {
    if ("decision" in answer && answer.decision === "approve") this.#approved = { id, name };
    else this.#tell([{ sessionUpdate: "tool_call_update", toolCallId: id, status: "failed" }]);
  }

  stopReading(): void {
    process.stdin.pause();
  }

  close(): void {}

  #hear(message: Incoming, listener: Listener): void {
    const { id, method, params } = message;
    switch (method) {
      case undefined:
        this.#asked.get(id)?.(answerOf(message.result));
        break;
      case "session/cancel":
        listener.interrupt();
        break;
      case "session/prompt":
        this.#prompts.push(id);
        listener.prompt(textOf(params.prompt));
        break;
      case "session/set_config_option":
        this.#choose(id, params.value);
        break;
      case "session/close":
        listener.interrupt();
        this.#connection.answer(id, {});
        break;
      default:
        this.#connection.refuse(id, -32601, `"Method not found": ${method}`);
    }
  }

  #choose(id: Incoming["id"], value: unknown): void {
    const isOffered = modelOptions("").some(({ options }) => options.some((one) => one.value === value));
    if (isOffered) this.#model = String(value);
    if (isOffered) this.#connection.answer(id, { configOptions: modelOptions(this.#model) });
    else this.#connection.refuse(id, -32602, "Invalid params");
  }

  #answer({ turn, text, usage }: Extract<Item, { type: "result" }>): void {
    const id = this.#prompts.shift();
    this.#costUsd += usage.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
    const cost = { amount: this.#costUsd, currency: "USD" };
    this.#tell([{ sessionUpdate: "usage_update", used: 100, size: 1000, cost }]);
    if (turn === "failed") this.#connection.refuse(id, -32603, "Internal error", { details: text });
    else this.#connection.answer(id, { stopReason: stopReason(turn), usage: totalOf(usage) });
  }

  #tell(updates: readonly object[]): void {
    const { sessionId } = this.#opened.options;
    for (const update of updates)
      this.#connection.send({ method: "session/update", params: { sessionId, update } });
  }
}

function stopReason(turn: Exclude<TurnResult, "failed">): string {
  return turn === "good" ? "end_turn" : "cancelled";
}

function totalOf(usage: readonly ModelRequest[]): object {
  const sum = (name: "input" | "output" | "cache_read" | "cache_write" | "reasoning") =>
    usage.reduce((total, request) => total + (request[name] ?? 0), 0);
  return {
    inputTokens: sum("input"),
    outputTokens: sum("output"),
    cachedReadTokens: sum("cache_read"),
    cachedWriteTokens: sum("cache_write"),
    thoughtTokens: sum("reasoning"),
    totalTokens: sum("input") + sum("output") + sum("cache_read") + sum("cache_write"),
  };
}

function textOf(prompt: unknown): string {
  const blocks = Array.isArray(prompt) ? (prompt as { readonly text?: string }[]) : [];
  return blocks.map(({ text = "" }) => text).join("");
}

function answerOf(result: unknown): Answer {
  const { outcome } = result as { readonly outcome?: { readonly optionId?: string } };
  if (outcome?.optionId === "once") return { decision: "approve" };
  return outcome?.optionId === "always"
    ? { decision: "approve", always: true }
    : { decision: "deny", reason: null };
}
