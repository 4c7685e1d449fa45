import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../agent.ts";

export function plan(request: LaunchRequest): LaunchPlan {
  const { kind, model, args, node, programs } = request;
  if (kind === "acp")
    throw new RollcallError("bad_usage", "The scripted agent does not speak ACP.", {
      hint: "Valid kinds: interactive, autonomous.",
    });
  const home = request.env.SCRIPTED_AGENT_HOME ?? `${request.home}/scripted`;
  const nativeId = nativeIdOf(request);
  return {
    command: [
      ...[node, programs.scripted, ...identityOf(request)],
      ...(model === null ? [] : ["--model", model]),
      ...(kind === "autonomous" ? ["--print"] : []),
      ...args,
    ],
    env: { SCRIPTED_AGENT_HOME: home },
    host: kind === "autonomous" ? "pipe" : "pty",
    nativeId,
    // The stream of an autonomous session tells the same: read both, and each turn would count twice.
    transcript: kind === "autonomous" ? null : `${home}/sessions/${nativeId}.jsonl`,
  };
}

function nativeIdOf({ continues, freshId }: LaunchRequest): string {
  return continues?.how === "resume" ? continues.nativeId : freshId;
}

function identityOf({ continues, freshId }: LaunchRequest): string[] {
  if (continues?.how === "resume") return ["--resume", continues.nativeId];
  const own = ["--session-id", freshId];
  return continues === null ? own : ["--fork", continues.nativeId, ...own];
}
