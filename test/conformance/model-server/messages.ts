import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Usage } from "./directives.ts";
import { ServerSentEvents, sendJson } from "./server-sent-events.ts";
import { type Call, errorMessage, type Voice } from "./voice.ts";

const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic Messages as a stream. */
export class StreamedMessage implements Voice {
  readonly #events: ServerSentEvents;
  readonly #response: ServerResponse;
  readonly #head: object;
  #index = -1;
  #openKind: "text" | undefined;
  #calls = 0;

  constructor(response: ServerResponse, model: string, usage: Usage) {
    this.#response = response;
    this.#events = new ServerSentEvents(response);
    this.#head = messageHead(model, usage);
  }

  text(piece: string): void {
    if (this.#openKind !== "text") {
      this.#start({ type: "text", text: "" });
      this.#openKind = "text";
    }
    this.#delta({ type: "text_delta", text: piece });
  }

  think(text: string): void {
    this.#start({ type: "thinking", thinking: "", signature: "" });
    this.#delta({ type: "thinking_delta", thinking: text });
    this.#delta({ type: "signature_delta", signature: "scripted" });
    this.#stop();
  }

  call({ name, input }: Call): void {
    this.#calls += 1;
    this.#start({ type: "tool_use", id: newId("toolu"), name, input: {} });
    this.#delta({ type: "input_json_delta", partial_json: JSON.stringify(input) });
    this.#stop();
  }

  fail(status: number): void {
    if (!this.#events.hasBegun) {
      sendError(this.#response, status);
      return;
    }
    this.#events.send("error", errorBody(status));
    this.#events.end();
  }

  end(usage: Usage): void {
    this.#stopText();
    const delta = { stop_reason: this.#calls > 0 ? "tool_use" : "end_turn", stop_sequence: null };
    this.#events.send("message_delta", { delta, usage: { output_tokens: usage.out } });
    this.#events.send("message_stop", {});
    this.#events.end();
  }

  #start(block: object): void {
    this.#stopText();
    if (!this.#events.hasBegun) this.#events.send("message_start", { message: this.#head });
    this.#index += 1;
    this.#events.send("content_block_start", { index: this.#index, content_block: block });
  }

  #delta(delta: object): void {
    this.#events.send("content_block_delta", { index: this.#index, delta });
  }

  #stop(): void {
    this.#events.send("content_block_stop", { index: this.#index });
  }

  #stopText(): void {
    if (this.#openKind === "text") this.#stop();
    this.#openKind = undefined;
  }
}

/** Anthropic Messages in one piece. */
export class WholeMessage implements Voice {
  readonly #response: ServerResponse;
  readonly #model: string;
  readonly #content: object[] = [];

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    this.#model = model;
  }

  text(piece: string): void {
    this.#content.push({ type: "text", text: piece });
  }

  think(text: string): void {
    this.#content.push({ type: "thinking", thinking: text, signature: "scripted" });
  }

  call({ name, input }: Call): void {
    this.#content.push({ type: "tool_use", id: newId("toolu"), name, input });
  }

  fail(status: number): void {
    sendError(this.#response, status);
  }

  end(usage: Usage): void {
    const calls = this.#content.some((block) => "input" in block);
    sendJson(this.#response, 200, {
      ...messageHead(this.#model, usage),
      content: this.#content,
      stop_reason: calls ? "tool_use" : "end_turn",
      usage: { ...inputUsage(usage), output_tokens: usage.out },
    });
  }
}

export function sendError(response: ServerResponse, status: number, message?: string): void {
  sendJson(response, status, { type: "error", ...errorBody(status, message) });
}

function errorBody(status: number, message = errorMessage(status)): object {
  return { error: { type: ERRORS[status] ?? "api_error", message } };
}

function messageHead(model: string, usage: Usage): object {
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(usage), output_tokens: 1 },
  };
}

function inputUsage(usage: Usage): object {
  return {
    input_tokens: usage.in,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
