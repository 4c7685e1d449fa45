import { type IncomingMessage, request } from "node:http";
import type { AgentServer } from "../../agents/launch.ts";
import type { Json } from "../../domain/json.ts";

/** An agent on the same machine answers in a moment; nobody waits longer for one that hangs. */
const ANSWER_MS = 5000;
/** Far more than any answer that is read as a whole. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface ServerCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
}

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls an agent's own server: on loopback only, with the password of the launch, within a time limit. */
export async function askServer(
  server: AgentServer,
  call: ServerCall,
  limitMs = ANSWER_MS,
): Promise<ServerAnswer> {
  return withinLimit(limitMs, async (signal) => {
    const response = await send(server, call, signal);
    return { status: response.statusCode ?? 0, text: await readText(response) };
  });
}

/** Opens a stream. The time limit is for the beginning of the answer; the stream itself may last. */
export async function openStream(
  server: AgentServer,
  call: ServerCall,
  stop: AbortSignal,
): Promise<IncomingMessage> {
  return withinLimit(ANSWER_MS, async (limit) => send(server, call, AbortSignal.any([stop, limit])));
}

async function withinLimit<T>(limitMs: number, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await work(limit.signal);
  } catch (cause) {
    if (!limit.signal.aborted) throw cause;
    throw new Error(`The server did not answer within ${limitMs / 1000} s.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Uses `node:http` without a shared agent: `fetch` would take a proxy of the environment even to loopback. */
async function send(
  { port, user, password }: AgentServer,
  { method, path, headers = {}, body }: ServerCall,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const ofBody = text === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    request({
      ...{ host: "127.0.0.1", port, method, path, auth: `${user}:${password}`, agent: false, signal },
      headers: { ...headers, ...ofBody },
    })
      .on("response", resolve)
      .on("error", reject)
      .end(text);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("The server gives too long an answer.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
