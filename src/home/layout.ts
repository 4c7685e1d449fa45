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

/** What lives only as long as the sessions and the daemon of this state folder. */
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
