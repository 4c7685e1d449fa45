import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentServer, LaunchPlan } from "../../agents/launch.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";

/** Where an agent keeps what it writes during one launch, and where its own server listens. */
export interface AgentPaths {
  readonly transcript: string | null;
  readonly transcripts: string | null;
  readonly liveFiles: string | null;
  readonly server: AgentServer | null;
}

export function agentPathsOf({ transcript, transcripts, liveFiles, server }: LaunchPlan): AgentPaths {
  return {
    transcript,
    transcripts: transcripts ?? null,
    liveFiles: liveFiles ?? null,
    server: server ?? null,
  };
}

const NONE: AgentPaths = { transcript: null, transcripts: null, liveFiles: null, server: null };

export function readAgentPaths(folder: string): AgentPaths {
  try {
    const text = readFileSync(join(folder, LAUNCH_FILES.agentPaths), "utf8");
    return { ...NONE, ...(JSON.parse(text) as Partial<AgentPaths>) };
  } catch {
    return NONE;
  }
}

export function writeAgentPaths(folder: string, agentPaths: AgentPaths): void {
  writeFileSync(join(folder, LAUNCH_FILES.agentPaths), JSON.stringify(agentPaths), { mode: 0o600 });
}
