import type { Agent } from "../agent.ts";
import { controls } from "./controls.ts";
import { lockOf, plan, sockets } from "./launch.ts";
import { outside } from "./outside.ts";
import { report } from "./report.ts";
import { SCREEN } from "./screen.ts";
import { shown } from "./shown.ts";
import { stream } from "./stream.ts";
import { isOwnTranscript, transcript, transcriptName } from "./transcript.ts";

/** OpenAI's Codex: at a terminal, or by its app server. */
export const codex: Agent = {
  type: "codex",
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
  testedVersion: "0.166.0",
  sockets,
  lockOf,
  plan,
  trust: (kind) => (kind === "interactive" ? ["terminal", "transcript", "screen"] : ["protocol"]),
  observe: {
    report,
    stream,
    transcript,
    transcriptName,
    isOwnTranscript,
    screen: SCREEN,
    shown,
  },
  controls,
  outside,
};
