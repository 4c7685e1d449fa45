import type { Json } from "../../../domain/json.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, HttpCall } from "../../deed.ts";
import { optionIndex } from "../option.ts";

/** Calls of the program's own server. */
export const controls: Controls = {
  say: (_, text) => post("/message", { text }),
  approve: (_, request) => replyCall(request, { reply: "once" }),
  approveAlways: (_, request) => replyCall(request, { reply: "always" }),
  deny: (_, request, reason) =>
    replyCall(request, { reply: "reject", ...(reason === null ? {} : { reason }) }),
  answer: (_, { for: what, requestId, options }, text) => {
    if (what !== "question" || requestId === null) return undefined;
    const choice = options === null ? text : (options[optionIndex(options, text)] ?? text);
    return post(`/question/${pathPart(requestId)}/reply`, { choice });
  },
  interrupt: () => post("/abort"),
  stop: () => post("/stop"),
};

function replyCall({ for: what, requestId }: Waiting, body: Json): HttpCall | undefined {
  if (what !== "permission" || requestId === null) return undefined;
  return post(`/permission/${pathPart(requestId)}/reply`, body);
}

/** Any id, as one part of a path. */
function pathPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

function post(path: string, body: Json = {}): HttpCall {
  return { via: "http", method: "POST", path, body };
}
