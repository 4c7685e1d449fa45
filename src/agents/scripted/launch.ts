import type { LaunchPlan, LaunchRequest } from "../launch.ts";

/** The plan that all modes share, with the options of one of them. The transcript is in the folder `sessions`. */
export function planProgram(request: LaunchRequest, options: readonly string[]): LaunchPlan {
  const { model, args, node, programs } = request;
  const env = programEnv(request);
  const nativeId = nativeIdOf(request);
  return {
    command: [
      ...[node, programs.scripted, ...identityOptions(request)],
      ...(model === null ? [] : ["--model", model]),
      ...options,
      ...args,
    ],
    env,
    nativeId,
    transcript: `${env.SCRIPTED_AGENT_HOME}/sessions/${nativeId}.jsonl`,
  };
}

/** The folder of the program's conversations. */
export function programEnv({ env, home }: LaunchRequest): { readonly SCRIPTED_AGENT_HOME: string } {
  return { SCRIPTED_AGENT_HOME: env.SCRIPTED_AGENT_HOME ?? `${home}/scripted` };
}

function nativeIdOf({ continues, freshId }: LaunchRequest): string {
  return continues?.how === "resume" ? continues.nativeId : freshId;
}

function identityOptions({ continues, freshId }: LaunchRequest): string[] {
  if (continues?.how === "resume") return ["--resume", continues.nativeId];
  const own = ["--session-id", freshId];
  return continues === null ? own : ["--fork", continues.nativeId, ...own];
}
