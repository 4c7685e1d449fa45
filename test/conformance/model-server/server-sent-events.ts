import type { ServerResponse } from "node:http";

/** Sends server-sent events; the head goes out with the first. */
export class ServerSentEvents {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  send(type: string, data: object): void {
    if (!this.hasBegun)
      this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }

  end(): void {
    this.#response.end();
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
