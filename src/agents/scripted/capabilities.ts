import type { Capabilities } from "../agent.ts";

/** The abilities of the program, however it is driven. */
export const CAPABILITIES: Omit<Capabilities, "endsTurnsInTranscript"> = {
  tellsTurns: true,
  isReadyAtExec: false,
  queuesInput: true,
  confirmsInput: true,
  canResume: true,
  canFork: true,
  outputIsTranscript: false,
};
