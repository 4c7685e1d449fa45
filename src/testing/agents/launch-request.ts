import type { LaunchRequest } from "../../agents/launch.ts";

/** A request to launch a fresh session in `/project`, with what a test is about. */
export function launchRequest(given: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    sessionId: "session-20260108-120000-abcdef",
    args: [],
    cwd: "/project",
    model: null,
    hasPrompt: true,
    env: {},
    freshId: "fresh",
    continues: null,
    answering: [],
    hookScript: "/home/run/hook.sh",
    folder: "/run/s",
    home: "/state",
    node: "/bin/node",
    programs: { scripted: "/lib/scripted-agent.cjs" },
    server: null,
    ...given,
  };
}
