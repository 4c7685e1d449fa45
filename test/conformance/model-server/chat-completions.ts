import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Usage } from "./directives.ts";
import { sendFailure } from "./responses.ts";
import { type Call, errorMessage, type Voice } from "./voice.ts";

/** OpenAI's chat completions as a stream: events without a name, and `[DONE]` at the end. */
export class StreamedCompletion implements Voice {
  readonly #response: ServerResponse;
  readonly #model: string;
  readonly #id = `chatcmpl-${randomUUID().replaceAll("-", "")}`;
  #calls = 0;

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    this.#model = model;
  }

  text(piece: string): void {
    this.#say({ content: piece });
  }

  /** No part of OpenAI's own protocol: it is the field that models which show their reasoning have beside it. */
  think(text: string): void {
    this.#say({ reasoning_content: text });
  }

  call({ name, input }: Call): void {
    const id = `call_${randomUUID().slice(0, 8)}`;
    const called = { name, arguments: typeof input === "string" ? input : JSON.stringify(input) };
    this.#say({ tool_calls: [{ index: this.#calls, id, type: "function", function: called }] });
    this.#calls += 1;
  }

  fail(status: number): void {
    if (!this.#response.headersSent) {
      // Its number of retries cannot be set, but the time between them can be told.
      this.#response.setHeader("retry-after-ms", "50");
      sendFailure(this.#response, status);
      return;
    }
    this.#send({ error: { message: errorMessage(status), type: "scripted_error", param: null, code: null } });
    this.#response.end();
  }

  end(usage: Usage): void {
    this.#choose({ delta: {}, finish_reason: this.#calls > 0 ? "tool_calls" : "stop" });
    this.#send({ ...this.#head, choices: [], usage: completionUsage(usage) });
    this.#response.end("data: [DONE]\n\n");
  }

  #say(delta: object): void {
    this.#choose({ delta: { role: "assistant", ...delta }, finish_reason: null });
  }

  #choose(choice: object): void {
    this.#send({ ...this.#head, choices: [{ index: 0, ...choice }] });
  }

  #send(data: object): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.write(`data: ${JSON.stringify(data)}\n\n`);
  }

  get #head(): object {
    return { id: this.#id, object: "chat.completion.chunk", created: 0, model: this.#model };
  }
}

/** Here the input counts what came from the cache, and what was written to it; reasoning is part of the output. */
function completionUsage(usage: Usage): object {
  const input = usage.in + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: input,
    completion_tokens: usage.out,
    total_tokens: input + usage.out,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}
