import { type Lab, newLab } from "./lab.ts";
import type { ProgramName } from "./programs.ts";

export const KIND = "acp";
export const PROMPT = "waiting_input:prompt";

/** Claude Code and Codex speak the Agent Client Protocol by an adapter, the others by themselves. */
export async function acpLab(program: ProgramName, options: Parameters<typeof newLab>[1] = {}): Promise<Lab> {
  const hasAdapter = program === "claude" || program === "codex";
  return newLab(program, hasAdapter ? { ...options, adapter: program } : options);
}
