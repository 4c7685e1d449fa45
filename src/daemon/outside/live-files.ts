import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Agent, OutsideIdentity } from "../../agents/agent.ts";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { bootId, startTimeOf } from "../../machine/process.ts";

export const MOST_LIVE_FILE_BYTES = 1024 * 1024;
const NAME = /^(\d+)\.json$/;

/** The live file of an agent's process, with that process. */
export interface Told {
  readonly content: JsonObject;
  readonly identity: OutsideIdentity;
  readonly process: ProcessIdentity;
}

export function isLiveFile(path: string): boolean {
  return NAME.test(basename(path));
}

/** Undefined where it is gone, tells of no session, or was left behind by a process that was killed. */
export function readLiveFile(agent: Agent, path: string): Told | undefined {
  const content = readObject(path);
  const identity = content && agent.outside?.ofFile?.(content);
  if (!identity || String(identity.pid) !== NAME.exec(basename(path))?.[1]) return undefined;
  const process = processOf(identity.pid ?? undefined);
  const isAnother = identity.startTime !== undefined && identity.startTime !== process?.startTime;
  return process && !isAnother ? { content, identity, process } : undefined;
}

/** The process that is in a conversation, as its own file tells. */
export function processIn(
  agent: Agent,
  env: Readonly<Record<string, string | undefined>>,
  nativeId: string,
): ProcessIdentity | undefined {
  const folder = agent.outside?.places(env).liveFiles ?? null;
  for (const path of folder === null ? [] : liveFilesIn(folder)) {
    const told = readLiveFile(agent, path);
    if (told?.identity.nativeId === nativeId) return told.process;
  }
  return undefined;
}

export function liveFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isLiveFile)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

export function processOf(pid: number | undefined): ProcessIdentity | undefined {
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  return pid === undefined || startTime === undefined ? undefined : { pid, startTime, bootId: bootId() };
}

function readObject(path: string): JsonObject | undefined {
  try {
    return readJsonObject(readForeignText(path, MOST_LIVE_FILE_BYTES));
  } catch {
    return undefined;
  }
}
