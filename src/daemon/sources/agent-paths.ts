import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentServer, LaunchPlan } from "../../agents/launch.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";

/** The files that an agent writes during one launch, and the address of its own server. */
export interface AgentPaths {
  readonly transcript: string | null;
  readonly transcripts: string | null;
  readonly liveFiles: string | null;
  readonly databases: string | null;
  readonly server: AgentServer | null;
}

export function agentPathsOf({
  transcript,
  transcripts,
  liveFiles,
  databases,
  server,
}: LaunchPlan): AgentPaths {
  return {
    transcript,
    transcripts: transcripts ?? null,
    liveFiles: liveFiles ?? null,
    databases: databases ?? null,
    server: server ?? null,
  };
}

const NONE: AgentPaths = {
  transcript: null,
  transcripts: null,
  liveFiles: null,
  databases: null,
  server: null,
};

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
