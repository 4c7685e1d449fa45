import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchPlan } from "../../agents/agent.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";

/** Where an agent keeps what it writes of one launch. */
export interface AgentPaths {
  readonly transcript: string | null;
  readonly transcripts: string | null;
  readonly liveFiles: string | null;
}

export function agentPathsOf({ transcript, transcripts, liveFiles }: LaunchPlan): AgentPaths {
  return { transcript, transcripts: transcripts ?? null, liveFiles: liveFiles ?? null };
}

export function readAgentPaths(folder: string): AgentPaths {
  try {
    return JSON.parse(readFileSync(join(folder, LAUNCH_FILES.agentPaths), "utf8")) as AgentPaths;
  } catch {
    return { transcript: null, transcripts: null, liveFiles: null };
  }
}

export function writeAgentPaths(folder: string, agentPaths: AgentPaths): void {
  writeFileSync(join(folder, LAUNCH_FILES.agentPaths), JSON.stringify(agentPaths), { mode: 0o600 });
}
