import type { Capabilities } from "./agent.ts";

/** The abilities of an agent that holds a conversation and says what it does. A mode names what is different in it. */
export const CONVERSING: Omit<Capabilities, "endsTurnsInTranscript"> = {
  tellsTurns: true,
  isReadyAtExec: false,
  queuesInput: true,
  confirmsInput: true,
  canResume: true,
  canFork: true,
  outputIsTranscript: false,
};
