import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runFolder } from "./layout.ts";

/** The files that daemon and holder share in the folder of a launch. Beside them: segments of output and snapshots, named by their offset, the holder's socket, and files that the agent's plan adds. */
export const LAUNCH_FILES = {
  /** The session that the launch belongs to: a resume makes another folder. */
  session: "session",
  /** The first text, until it was given. */
  prompt: "prompt",
  /** The first line for an agent that speaks a protocol. */
  opening: "opening",
  /** Values that redaction hides in this session alone. */
  secrets: "secrets",
  /** How far each stream of a pipe was parsed. */
  consumed: "consumed",
  /** The memory of the agent's parsers. */
  memory: "memory",
  /** Where the agent keeps its own files. */
  agentPaths: "agent-paths",
  /** The processes, as the last scan found them. */
  tree: "tree",
  /** The counters of the session as they were before this launch. */
  counters: "counters",
  /** Written by the holder, before its command runs. */
  holder: "holder.json",
  /** Written by the holder: how the agent ended. */
  exit: "exit.json",
  /** Read by the holder: an end that is asked for without a connection. */
  end: "end",
} as const;

/** The folder of one launch: its marker names it. */
export function launchFolder(home: string, marker: string): string {
  return join(runFolder(home), "sessions", marker);
}

/** Undefined where it does not say. */
export function sessionOfLaunch(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, LAUNCH_FILES.session), "utf8");
  } catch {
    return undefined;
  }
}
