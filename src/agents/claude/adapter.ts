import type { Agent } from "../agent.ts";
import { controls } from "./controls.ts";
import { file } from "./file.ts";
import { hook } from "./hook.ts";
import { hooks } from "./hooks/hooks.ts";
import { plan } from "./launch.ts";
import { outside } from "./outside.ts";
import { report } from "./report.ts";
import { SCREEN } from "./screen.ts";
import { stream } from "./stream.ts";
import { transcript } from "./transcript.ts";

/** Claude Code. */
export const claude: Agent = {
  type: "claude",
  capabilities: {
    kinds: ["interactive", "autonomous"],
    tellsTurns: true,
    isReadyAtExec: false,
    queuesInput: true,
    confirmsInput: true,
    endsTurnsInTranscript: (kind) => kind === "interactive",
    canResume: true,
    canFork: true,
    outputIsTranscript: false,
  },
  testedVersion: "2.1.325",
  plan,
  trust: (kind) => (kind === "interactive" ? ["terminal", "file", "hook", "screen"] : ["stream"]),
  observe: { report, file, stream, hook, transcript, screen: SCREEN },
  controls,
  outside,
  hooks,
};
