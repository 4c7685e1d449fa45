import type { LaunchPlan, LaunchRequest } from "../launch.ts";

/** The plan that all modes share, with the options of one of them. The transcript is in the folder `sessions`. */
export function planProgram(request: LaunchRequest, options: readonly string[]): LaunchPlan {
  const { model, args, node, programs } = request;
  const home = request.env.SCRIPTED_AGENT_HOME ?? `${request.home}/scripted`;
  const nativeId = nativeIdOf(request);
  return {
    command: [
      ...[node, programs.scripted, ...identityOptions(request)],
      ...(model === null ? [] : ["--model", model]),
      ...options,
      ...args,
    ],
    env: { SCRIPTED_AGENT_HOME: home },
    nativeId,
    transcript: `${home}/sessions/${nativeId}.jsonl`,
  };
}

function nativeIdOf({ continues, freshId }: LaunchRequest): string {
  return continues?.how === "resume" ? continues.nativeId : freshId;
}

function identityOptions({ continues, freshId }: LaunchRequest): string[] {
  if (continues?.how === "resume") return ["--resume", continues.nativeId];
  const own = ["--session-id", freshId];
  return continues === null ? own : ["--fork", continues.nativeId, ...own];
}
