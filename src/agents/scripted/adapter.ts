import type { Agent } from "../agent.ts";
import { controls } from "./controls.ts";
import { hook } from "./hook.ts";
import { plan } from "./launch.ts";
import { report } from "./report.ts";
import { SCREEN } from "./screen.ts";
import { stream } from "./stream.ts";
import { transcript } from "./transcript.ts";

/** Rollcall's own agent, which does what its prompt says: for demonstrations and tests. */
export const scripted: Agent = {
  type: "scripted",
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
  testedVersion: null,
  plan,
  trust: (kind) => (kind === "interactive" ? ["terminal", "hook", "screen"] : ["stream", "hook"]),
  observe: { report, stream, hook, transcript, screen: SCREEN },
  controls,
};
