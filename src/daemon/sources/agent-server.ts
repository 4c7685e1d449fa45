import type { AgentServer } from "../../agents/launch.ts";
import type { Json } from "../../domain/json.ts";

/** An agent on the same machine answers in a moment; a caller waits no longer for one that hangs. */
const ANSWER_MS = 5000;

export interface ServerCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: Json;
}

/** One call of an agent's own server: on loopback only, with the password of the launch, within a time limit. */
export async function askServer(server: AgentServer, { method, path, body }: ServerCall): Promise<Response> {
  return fetch(urlOf(server, path), {
    method,
    redirect: "error",
    headers: {
      ...authorizationOf(server),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

export function urlOf({ port }: AgentServer, path: string): URL {
  const url = new URL(path, `http://127.0.0.1:${port}`);
  if (url.hostname !== "127.0.0.1" || url.port !== String(port))
    throw new Error(`The path ${JSON.stringify(path)} leaves the agent's server.`);
  return url;
}

export function authorizationOf({ user, password }: AgentServer): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}
