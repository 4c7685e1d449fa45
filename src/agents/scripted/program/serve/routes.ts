import { isJsonObject } from "../../../../domain/json.ts";
import type { Listener } from "../face.ts";
import type { Answer, Request } from "../line.ts";
import type { Reply, Route } from "./server.ts";

/** A request that nobody has answered yet. */
export interface Pending {
  readonly request: Request;
  decide(answer: Answer): void;
}

/** The agent as its routes see it. */
export interface ServedAgent {
  readonly listener: Listener;
  readonly pending: Pending | undefined;
  /** Its state now, and the last event that is part of it. */
  status(): object;
  requests(): object;
}

const ACCEPTED: Reply = { status: 202 };
const BAD: Reply = { status: 400 };

/** The calls that the agent's server offers. */
export function routeOf(agent: ServedAgent): Route {
  return (method, path, body) => {
    const [, name, id, verb] = path.split("/");
    if (method === "GET" && path === "/status") return { status: 200, body: agent.status() };
    if (method === "GET" && path === "/permission") return { status: 200, body: agent.requests() };
    if (method !== "POST") return undefined;
    const given = isJsonObject(body) ? body : {};
    if (verb === "reply" && (name === "permission" || name === "question"))
      return answer(agent, name, id ?? "", given);
    if (id !== undefined) return undefined;
    if (name === "message") return say(agent, given.text);
    if (name === "abort") agent.listener.interrupt();
    // The answer goes first.
    else if (name === "stop") setImmediate(() => agent.listener.leave(0, "asked"));
    else return undefined;
    return ACCEPTED;
  };
}

function say({ listener }: ServedAgent, text: unknown): Reply {
  if (typeof text !== "string" || text.trim() === "") return BAD;
  listener.prompt(text);
  return ACCEPTED;
}

function answer({ pending }: ServedAgent, kind: Request["kind"], id: string, given: Given): Reply {
  const isMeant = pending?.request.kind === kind && encodeURIComponent(pending.request.request_id) === id;
  if (!pending || !isMeant) return { status: 409 };
  const meant = answerOf(pending.request, given);
  if (meant === undefined) return BAD;
  pending.decide(meant);
  return ACCEPTED;
}

interface Given {
  readonly reply?: unknown;
  readonly reason?: unknown;
  readonly choice?: unknown;
}

function answerOf(request: Request, { reply, reason, choice }: Given): Answer | undefined {
  if (request.kind === "question") {
    const isOffered = request.options?.includes(choice as string) ?? typeof choice === "string";
    return isOffered ? { choice: choice as string } : undefined;
  }
  if (reply === "once") return { decision: "approve" };
  if (reply === "always") return { decision: "approve", always: true };
  if (reply !== "reject") return undefined;
  return { decision: "deny", reason: typeof reason === "string" ? reason : null };
}
