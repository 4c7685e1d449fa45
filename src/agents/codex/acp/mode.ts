import type { JsonObject } from "../../../domain/json.ts";
import { acpMode } from "../../acp/mode.ts";
import { objectOf } from "../../json-lines.ts";
import { databases, rolloutFolder } from "../home.ts";
import { identityInName, isOwnRollout, parseRolloutUsage } from "../rollout/rollout.ts";

/** Codex by its adapter for the Agent Client Protocol, which tells only when a turn is over what it has used. */
export const acp = acpMode({
  command: ["codex-acp"],
  install: "Install it with `npm install -g @agentclientprotocol/codex-acp`.",
  isAdapter: true,
  makes: databases,
  counting: {
    folder: rolloutFolder,
    source: { parse: parseRolloutUsage, identityIn: identityInName, isOwn: isOwnRollout },
    countsSubagents: false,
  },
  showsFailure,
});

/** An error of the model ends its turn as a good one (2.6.0): only the state of the thread tells. */
function showsFailure({ _meta }: JsonObject): boolean {
  return objectOf(objectOf(objectOf(_meta).codex).threadStatus).type === "systemError";
}
