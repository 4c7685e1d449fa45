import type { Waiting } from "../../../domain/session/session.ts";
import type { Controls, Deed } from "../../deed.ts";
import { jsonLines } from "../../json-lines.ts";
import { optionIndex } from "../option.ts";

/** Lines of JSON on standard input. */
export const controls: Controls = {
  say: (_, text) => jsonLines({ type: "user", text }),
  approve: (_, request) => decisionLine(request, { decision: "approve" }),
  approveAlways: (_, request) => decisionLine(request, { decision: "approve", always: true }),
  deny: (_, request, reason) =>
    decisionLine(request, { decision: "deny", ...(reason === null ? {} : { reason }) }),
  answer: (_, { for: what, requestId, options }, text) => {
    if (what !== "question") return undefined;
    const choice = options === null ? text : options[optionIndex(options, text)];
    return requestId === null ? undefined : jsonLines({ type: "answer", request_id: requestId, choice });
  },
  interrupt: () => jsonLines({ type: "interrupt" }),
  stop: () => jsonLines({ type: "stop" }),
};

function decisionLine({ for: what, requestId }: Waiting, decision: object): Deed | undefined {
  if (what !== "permission" || requestId === null) return undefined;
  return jsonLines({ type: "answer", request_id: requestId, ...decision });
}
