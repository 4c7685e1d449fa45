import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { checkArguments } from "../arguments.ts";
import { databases, rolloutFolder } from "../home.ts";
import type { CodexMemory } from "../memory.ts";
import { identityInName, isOwnRollout, parseRollout } from "../rollout/rollout.ts";
import { controls } from "./controls.ts";
import { parseReport } from "./report.ts";
import { SCREEN_RULES } from "./screen.ts";
import { parseShown } from "./shown.ts";

/** Codex in a terminal. */
export const interactive: Mode<CodexMemory> = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: true },
  plan,
  trust: ["terminal", "transcript", "screen"],
  sources: {
    terminal: { report: parseReport },
    transcript: { parse: parseRollout, identityIn: identityInName, isOwn: isOwnRollout },
    screen: { rules: SCREEN_RULES, shown: parseShown },
  },
  controls,
};

function plan(request: LaunchRequest): LaunchPlan {
  const { continues, model, args, env } = request;
  checkArguments(args);
  return {
    command: [
      "codex",
      ...(continues === null ? [] : [continues.how, continues.nativeId]),
      ...ownServerOptions(request),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: {},
    // Never ours to choose.
    nativeId: continues?.how === "resume" ? continues.nativeId : null,
    transcript: null,
    transcripts: rolloutFolder(env),
    makes: databases(env),
  };
}

/**
 * Its tools run as its own children, not in the shared server, where no end would reach them. With a server that runs
 * already this is an option, which older releases lack; without one, a setting says not to start one.
 */
function ownServerOptions({ answering }: LaunchRequest): string[] {
  return answering.length > 0 ? ["--no-daemon"] : ["-c", "features.daemon_auto_start=false"];
}
