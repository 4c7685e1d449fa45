import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Credentials, refusalOf } from "./access.ts";
import type { EventLog, LoggedEvent } from "./event-log.ts";

const HEARTBEAT_MS = 10_000;
const MOST_BODY_BYTES = 4 * 1024 * 1024;
/** A reader that is so far behind is cut off, and resumes behind the last event that it has. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024;

export interface Reply {
  readonly status: number;
  readonly body?: object;
}

/** Answers one request that may pass; undefined where there is no such route. */
export type Route = (method: string, path: string, body: unknown) => Reply | undefined;

/** The server of the program: on loopback, for those who have its password. */
export class AgentHttpServer {
  readonly #credentials: Credentials;
  readonly #log: EventLog;
  readonly #route: Route;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  #isDeaf = false;

  constructor(credentials: Credentials, log: EventLog, route: Route) {
    this.#credentials = credentials;
    this.#log = log;
    this.#route = route;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#credentials.port, "127.0.0.1");
    await once(this.#server, "listening");
    setInterval(() => this.sendToAll("heartbeat", {}), HEARTBEAT_MS).unref();
  }

  /** An event that nobody resumes behind. */
  sendToAll(name: string, data: object): void {
    for (const stream of this.#streams) send(stream, { name, data });
  }

  /** Cuts every stream of events; those who read them may connect again. */
  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Takes requests, and answers none of them. */
  stopAnswering(): void {
    this.#isDeaf = true;
  }

  /** Resolves when those who read events have the last one. */
  async close(): Promise<void> {
    this.#server.close();
    await Promise.all([...this.#streams].map((stream) => new Promise<void>((done) => stream.end(done))));
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request.headers, this.#credentials);
    if (refusal !== undefined) return reply(response, { status: refusal });
    if (this.#isDeaf) return;
    const { method = "", url = "/" } = request;
    if (method === "GET" && url === "/event") return this.#stream(request, response);
    const body = method === "GET" ? undefined : await readBody(request);
    reply(response, this.#route(method, url, body) ?? { status: 404 });
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const lastId = Number(request.headers["last-event-id"] ?? this.#log.range.last_event_id);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    this.#streams.add(response);
    const following = this.#log.follow(Number.isFinite(lastId) ? lastId : 0, (event) =>
      send(response, event),
    );
    response.once("close", () => {
      following[Symbol.dispose]();
      this.#streams.delete(response);
    });
  }
}

function reply(response: ServerResponse, { status, body }: Reply): void {
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="scripted"' } : {};
  response.writeHead(status, { "content-type": "application/json", ...challenge });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

function send(
  stream: ServerResponse,
  { id, name, data }: Omit<LoggedEvent, "id"> & { readonly id?: number },
): void {
  if (stream.writableLength > MOST_UNREAD_BYTES) return void stream.destroy();
  stream.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Undefined for what is no JSON, or too much of it. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BODY_BYTES) chunks.push(chunk);
  }
  try {
    return bytes > MOST_BODY_BYTES ? undefined : JSON.parse(Buffer.concat(chunks).toString() || "null");
  } catch {
    return undefined;
  }
}
