import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentServer } from "../../agents/launch.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A real server on loopback that answers as a test says. */
export interface EventServer extends AsyncDisposable {
  readonly server: AgentServer;
  /** All requests so far. */
  readonly requests: IncomingMessage[];
}

export async function eventServer(answer: Answer, port = 0): Promise<EventServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    server: { port: (server.address() as AddressInfo).port, user: "someone", password: "a-password" },
    requests,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
