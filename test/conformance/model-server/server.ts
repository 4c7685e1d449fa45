import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, answerOf, type Step } from "./directives.ts";
import { Gates } from "./gates.ts";
import { sendError } from "./messages.ts";
import { play, type Stage } from "./play.ts";
import { PROTOCOLS, type Protocol } from "./protocols.ts";
import { type RecordedRequest, recordRequest } from "./recorded-request.ts";
import { sendJson } from "./server-sent-events.ts";

/** The one key that it takes, as a provider would. */
export const MODEL_KEY = "test";

/** A model that does what the prompt says; README.md has the directives. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** In the order in which they came. */
  readonly requests: readonly RecordedRequest[];
  /** When a request with this gate has come to it, now or before. */
  asked(gate: string): Promise<void>;
  /** Lets through who waits at this gate, and who comes to it later. */
  open(gate: string): void;
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const gates = new Gates();
  const counts = new Map<string, number>();
  const http = createServer((incoming, response) => {
    // The programs give a connection up when they are interrupted or ended.
    response.on("error", () => {});
    recordRequest(incoming)
      .then((request) => {
        requests.push(request);
        return respond(request, response, { gates, counts });
      })
      .catch((error: Error) => sendError(response, 400, error.message));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    asked: (gate) => gates.asked(gate),
    open: (gate) => gates.open(gate),
    [Symbol.asyncDispose]: async () => {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

interface Memory {
  readonly gates: Gates;
  /** How often a step of limited number has happened. */
  readonly counts: Map<string, number>;
}

async function respond(request: RecordedRequest, response: ServerResponse, memory: Memory): Promise<void> {
  const { method, path } = request;
  const protocol = method === "POST" ? PROTOCOLS.find(({ paths }) => paths.test(path)) : undefined;
  if (protocol && !hasKey(request)) {
    request.outcome = "refused";
    return protocol.fail(response, 401, "scripted: this key is not valid");
  }
  if (protocol) return answer(protocol, request, response, memory);
  request.outcome = "answered";
  if (path === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: 1000 });
  if (path.endsWith(":countTokens")) return sendJson(response, 200, { totalTokens: 1000 });
  if (path === "/v1/models") return sendJson(response, 200, { object: "list", data: [], models: [] });
  if (method === "HEAD" || path === "/") return sendJson(response, 200, {});
  return sendJson(response, 404, { error: { type: "not_found_error", message: `scripted: no ${path}` } });
}

async function answer(
  protocol: Protocol,
  request: RecordedRequest,
  response: ServerResponse,
  memory: Memory,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const script = scriptFor(request);
    const stage = stageFor(protocol, request, response, gone.signal, memory);
    request.outcome = await play(script, protocol.voice(response, request, script.usage), stage);
  } catch (error) {
    request.outcome = gone.signal.aborted ? "abandoned" : "refused";
    if (!gone.signal.aborted) protocol.fail(response, 400, (error as Error).message);
  }
}

function scriptFor({ isAuxiliary, body, prompt, round }: RecordedRequest): Answer {
  if (!isAuxiliary) return answerOf(prompt, round);
  return answerOf(`[[text:${body.includes("complexity_score") ? ROUTE : "Scripted title"}]]`, 0);
}

/** Gemini CLI asks a small model how hard a prompt is, and for this JSON again until it is given. */
const ROUTE = JSON.stringify({ complexity_reasoning: "scripted", complexity_score: 50 });

function stageFor(
  protocol: Protocol,
  request: RecordedRequest,
  response: ServerResponse,
  signal: AbortSignal,
  memory: Memory,
): Stage {
  const { tools, conversationId, prompts, round, prompt } = request;
  return {
    signal,
    toolFor: (step) => protocol.tools(step, tools),
    pass: (gate) => memory.gates.pass(gate, signal),
    isDue: (step: Step, times) => {
      const key = JSON.stringify([conversationId, prompts.length, prompt, round, step]);
      const count = memory.counts.get(key) ?? 0;
      memory.counts.set(key, count + 1);
      return count < times;
    },
    // After what was said has gone out, and without the mark that ends a body.
    cut: () => response.socket?.destroySoon(),
  };
}

function hasKey({ headers }: RecordedRequest): boolean {
  const own = headers["x-api-key"] ?? headers["x-goog-api-key"];
  return own === MODEL_KEY || headers.authorization === `Bearer ${MODEL_KEY}`;
}
