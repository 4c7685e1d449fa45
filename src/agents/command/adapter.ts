import { RollcallError } from "../../domain/errors.ts";
import { acpMode } from "../acp/mode.ts";
import type { Agent, Capabilities, Mode } from "../agent.ts";
import type { Controls } from "../deed.ts";
import type { LaunchPlan, LaunchRequest } from "../launch.ts";

const CAPABILITIES: Capabilities = {
  tellsTurns: false,
  isReadyAtExec: true,
  queuesInput: true,
  confirmsInput: false,
  endsTurnsInTranscript: false,
  canResume: false,
  canFork: false,
  outputIsTranscript: true,
};

const NO_CONTROLS: Controls = {
  say: () => undefined,
  approve: () => undefined,
  deny: () => undefined,
  answer: () => undefined,
  interrupt: () => undefined,
  stop: () => undefined,
};

const interactive: Mode = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: CAPABILITIES,
  plan,
  // The user's own pattern is looked for on the screen.
  trust: ["screen"],
  sources: {},
  // Ctrl-C.
  controls: { ...NO_CONTROLS, interrupt: () => ({ via: "keys", bytes: "\u0003" }) },
};

/** Without a terminal there is no key to interrupt it. */
const autonomous: Mode = {
  ...interactive,
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  controls: NO_CONTROLS,
};

/** One that speaks the Agent Client Protocol. */
const acp = acpMode({ command: [] });

/** Any command: its process is all that is known of it, and its output is its transcript. */
export const command: Agent = { type: "unknown", testedVersion: null, modes: [interactive, autonomous, acp] };

function plan({ args }: LaunchRequest): LaunchPlan {
  if (args.length === 0)
    throw new RollcallError("bad_usage", "There is no command to start.", {
      hint: "Give one: `rollcall start -- COMMAND ARGUMENTS`.",
    });
  return { command: args, env: {}, nativeId: null, transcript: null };
}
