import type { ServerResponse } from "node:http";
import type { Usage } from "./directives.ts";
import { sendJson } from "./server-sent-events.ts";
import { type Call, errorMessage, type Voice } from "./voice.ts";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

type Part = object;

/** Google's `streamGenerateContent`: each event is a piece of the answer, and the last one has the usage. */
export class StreamedContent implements Voice {
  readonly #response: ServerResponse;
  readonly #model: string;

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    this.#model = model;
  }

  text(piece: string): void {
    this.#send(contentOf(this.#model, [{ text: piece }]));
  }

  think(text: string): void {
    this.#send(contentOf(this.#model, [thoughtPart(text)]));
  }

  call(call: Call): void {
    this.#send(contentOf(this.#model, [callPart(call)]));
  }

  fail(status: number): void {
    if (!this.#response.headersSent) {
      sendGoogleError(this.#response, status);
      return;
    }
    this.#send(errorBody(status));
    this.#response.end();
  }

  end(usage: Usage): void {
    this.#send(contentOf(this.#model, [{ text: "" }], usage));
    this.#response.end();
  }

  #send(data: object): void {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.write(`data: ${JSON.stringify(data)}\r\n\r\n`);
  }
}

/** Google's `generateContent`, in one piece. */
export class WholeContent implements Voice {
  readonly #response: ServerResponse;
  readonly #model: string;
  readonly #parts: Part[] = [];

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    this.#model = model;
  }

  text(piece: string): void {
    this.#parts.push({ text: piece });
  }

  think(text: string): void {
    this.#parts.push(thoughtPart(text));
  }

  call(call: Call): void {
    this.#parts.push(callPart(call));
  }

  fail(status: number): void {
    sendGoogleError(this.#response, status);
  }

  end(usage: Usage): void {
    sendJson(this.#response, 200, contentOf(this.#model, this.#parts, usage));
  }
}

export function sendGoogleError(response: ServerResponse, status: number, message?: string): void {
  sendJson(response, status, errorBody(status, message));
}

function errorBody(status: number, message = errorMessage(status)): object {
  return { error: { code: status, message, status: STATUSES[status] ?? "INTERNAL" } };
}

function thoughtPart(text: string): Part {
  return { text, thought: true };
}

function callPart({ name, input }: Call): Part {
  return { functionCall: { name, args: input } };
}

function contentOf(modelVersion: string, parts: readonly Part[], usage?: Usage): object {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...(usage ? { finishReason: "STOP" } : {}) }],
    modelVersion,
    ...(usage ? { usageMetadata: usageOf(usage) } : {}),
  };
}

/** Here the prompt counts what came from the cache, thoughts are beside the output, and nothing is written to a cache. */
function usageOf(usage: Usage): object {
  const promptTokenCount = usage.in + usage.cacheRead + usage.cacheWrite;
  return {
    promptTokenCount,
    cachedContentTokenCount: usage.cacheRead,
    candidatesTokenCount: usage.out - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: promptTokenCount + usage.out,
  };
}
