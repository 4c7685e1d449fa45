import { RollcallError } from "../../domain/errors.ts";
import type { Agent, LaunchPlan, LaunchRequest } from "../agent.ts";

/** Any command: its process is all that is known of it, and its output is its transcript. */
export const command: Agent = {
  type: "unknown",
  capabilities: {
    kinds: ["interactive", "autonomous"],
    tellsTurns: false,
    isReadyAtExec: true,
    queuesInput: true,
    confirmsInput: false,
    endsTurnsInTranscript: () => false,
    canResume: false,
    canFork: false,
    outputIsTranscript: true,
  },
  testedVersion: null,
  plan,
  trust: () => ["screen"],
  observe: {},
  controls: {
    say: () => undefined,
    approve: () => undefined,
    deny: () => undefined,
    answer: () => undefined,
    // What Ctrl-C types; without a terminal there is nobody to press it.
    interrupt: ({ kind }) => (kind === "interactive" ? { bytes: "\u0003" } : undefined),
    stop: () => undefined,
  },
};

function plan({ args, kind }: LaunchRequest): LaunchPlan {
  if (args.length === 0)
    throw new RollcallError("bad_usage", "There is no command to start.", {
      hint: "Give one: `rollcall start -- COMMAND ARGUMENTS`.",
    });
  const host = kind === "interactive" ? "pty" : "pipe";
  return { command: args, env: {}, host, nativeId: null, transcript: null };
}
