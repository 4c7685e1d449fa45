import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Usage } from "./directives.ts";
import { ServerSentEvents, sendJson } from "./server-sent-events.ts";
import { type Call, errorMessage, type Voice } from "./voice.ts";

/** OpenAI's Responses as a stream. */
export class StreamedResponse implements Voice {
  readonly #events: ServerSentEvents;
  readonly #response: ServerResponse;
  readonly #id = newId("resp");
  #message: { readonly id: string; text: string } | undefined;
  #items = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#events = new ServerSentEvents(response);
  }

  text(piece: string): void {
    this.#message ??= this.#startMessage();
    this.#message.text += piece;
    const place = { item_id: this.#message.id, output_index: this.#items, content_index: 0 };
    this.#events.send("response.output_text.delta", { ...place, delta: piece });
  }

  think(text: string): void {
    const item = { type: "reasoning", id: newId("rs"), summary: [] };
    this.#start(item);
    const place = { item_id: item.id, output_index: this.#items, summary_index: 0 };
    this.#events.send("response.reasoning_summary_part.added", {
      ...place,
      part: { type: "summary_text", text: "" },
    });
    this.#events.send("response.reasoning_summary_text.delta", { ...place, delta: text });
    this.#finish({ ...item, summary: [{ type: "summary_text", text }], encrypted_content: "scripted" });
  }

  call({ name, input }: Call): void {
    const item = callItem(name, input);
    this.#start({ ...item, status: "in_progress" });
    this.#finish({ ...item, status: "completed" });
  }

  fail(status: number): void {
    if (!this.#events.hasBegun) {
      sendFailure(this.#response, status);
      return;
    }
    const error = { code: "server_error", message: errorMessage(status) };
    this.#events.send("response.failed", { response: { id: this.#id, status: "failed", error } });
    this.#events.end();
  }

  end(usage: Usage): void {
    this.#finishMessage();
    this.#events.send("response.completed", {
      response: { id: this.#id, status: "completed", usage: responseUsage(usage) },
    });
    this.#events.end();
  }

  #startMessage(): { readonly id: string; text: string } {
    const message = { id: newId("msg"), text: "" };
    this.#start({ type: "message", id: message.id, role: "assistant", status: "in_progress", content: [] });
    return message;
  }

  #finishMessage(): void {
    if (!this.#message) return;
    const { id, text } = this.#message;
    this.#message = undefined;
    const content = [{ type: "output_text", text, annotations: [] }];
    this.#finish({ type: "message", id, role: "assistant", status: "completed", content });
  }

  #start(item: object): void {
    this.#finishMessage();
    if (!this.#events.hasBegun)
      this.#events.send("response.created", { response: { id: this.#id, status: "in_progress" } });
    this.#events.send("response.output_item.added", { output_index: this.#items, item });
  }

  #finish(item: object): void {
    this.#events.send("response.output_item.done", { output_index: this.#items, item });
    this.#items += 1;
  }
}

export function sendFailure(response: ServerResponse, status: number, message = errorMessage(status)): void {
  sendJson(response, status, { error: { message, type: "scripted_error", param: null, code: null } });
}

/** A tool with free text as its input is called in another way than a function; one of a namespace is `SPACE.NAME`. */
function callItem(called: string, input: unknown): object {
  const [, namespace, name = called] = /^(\w+)\.(\w+)$/.exec(called) ?? [];
  const ids = { id: newId("fc"), call_id: newId("call"), name, ...(namespace ? { namespace } : {}) };
  return typeof input === "string"
    ? { type: "custom_tool_call", ...ids, input }
    : { type: "function_call", ...ids, arguments: JSON.stringify(input) };
}

/** Here the input counts what came from the cache, and what was written to it. */
function responseUsage(usage: Usage): object {
  const input = usage.in + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.out,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.out,
  };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
