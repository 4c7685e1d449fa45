import { homedir } from "node:os";
import { join, resolve } from "node:path";

export function homeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.ROLLCALL_HOME ? resolve(env.ROLLCALL_HOME) : join(homedir(), ".rollcall");
}

export function configPath(home: string): string {
  return join(home, "config.json");
}

/** The random id of this machine. */
export function machineIdPath(home: string): string {
  return join(home, "machine-id");
}

export function backupFolder(home: string): string {
  return join(home, "backups");
}

export function recordingFolder(home: string, id: string): string {
  return join(home, "recordings", id);
}

/** Copies of transcripts that their agent may delete by itself. */
export function keptTranscriptFolder(home: string, id: string): string {
  return join(home, "transcripts", id);
}

/** Copies of the files in which an agent keeps a conversation; undefined for an id that names no folder. */
export function originalsFolder(home: string, agentType: string, nativeId: string): string | undefined {
  return /^\w[\w.-]{0,200}$/u.test(nativeId) ? join(home, "originals", agentType, nativeId) : undefined;
}

/** Where copies of agents' own files are. */
export function copyFolders(home: string): readonly string[] {
  return [join(home, "originals"), join(home, "transcripts")];
}

/** The folder of everything that lives only as long as the sessions and the daemon of this state folder. */
export function runFolder(home: string): string {
  return join(home, "run");
}

/** The pid of the daemon, while it runs. */
export function daemonPidPath(home: string): string {
  return join(runFolder(home), "daemon.pid");
}

export function storePath(home: string): string {
  return join(home, "rollcall.db");
}
