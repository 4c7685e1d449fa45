import type { HookCodecs } from "../../agents/hooks.ts";
import { refuseDelegation, type StopReport } from "../../domain/delegation.ts";
import { type JsonObject, nonEmptyText } from "../../domain/json.ts";

/** The hooks of an orchestrator, in the words of our own wire; `output.json` gives the answers their snake_case. */
export const WIRE_CODECS: HookCodecs = {
  "pre-delegate": {
    parse: (payload) => ({
      agentName: nonEmptyText(payload.agent_name),
      taskId: nonEmptyText(payload.task_id),
      agentId: agentIdIn(payload),
      caller: null,
    }),
    encode: ({ candidates, ...advice }, originalContext) => ({ ...advice, originalContext, candidates }),
    fail: (reason, payload) =>
      WIRE_CODECS["pre-delegate"].encode(refuseDelegation(reason, agentIdIn(payload)), payload),
  },
  "subagent-stop": {
    parse: (payload) => ({
      agentId: agentIdIn(payload),
      isClean: isClean(payload.exit_code),
      summary: nonEmptyText(payload.summary),
      subagent: null,
    }),
    encode: (report) => report,
    fail: (reason, payload): StopReport => ({ finalized: false, reason, agentId: agentIdIn(payload) }),
  },
};

function agentIdIn({ agent_id: agentId }: JsonObject): string | null {
  return nonEmptyText(agentId);
}

/** Absent or 0 is a clean exit; anything else is not. */
function isClean(exitCode: unknown): boolean {
  return exitCode === undefined || exitCode === null || exitCode === 0 || exitCode === "0";
}
