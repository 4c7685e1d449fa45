import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchPlan } from "../agents/agent.ts";

/** Where an agent keeps what it writes of one launch. */
export interface Whereabouts {
  readonly transcript: string | null;
  readonly transcripts: string | null;
  readonly liveFiles: string | null;
}

/** The name of the file in the folder of a launch that tells it. */
const FILE = "whereabouts";

export function whereaboutsOf({ transcript, transcripts, liveFiles }: LaunchPlan): Whereabouts {
  return { transcript, transcripts: transcripts ?? null, liveFiles: liveFiles ?? null };
}

export function readWhereabouts(folder: string): Whereabouts {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), "utf8")) as Whereabouts;
  } catch {
    return { transcript: null, transcripts: null, liveFiles: null };
  }
}

export function writeWhereabouts(folder: string, whereabouts: Whereabouts): void {
  writeFileSync(join(folder, FILE), JSON.stringify(whereabouts), { mode: 0o600 });
}
