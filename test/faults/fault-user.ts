import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { type Client, connectDaemon } from "../../src/client/client.ts";
import type { SessionRecord } from "../../src/domain/session/session.ts";
import { toWire } from "../../src/domain/wire.ts";
import { findHolderFile, type HolderFile } from "../../src/host/holder-files.ts";
import { startTimeOf } from "../../src/machine/process.ts";
import type { RunOptions, Shown } from "../cli/rollcall.ts";
import { gone, isAlive, type LiveUser, newLiveUser, until } from "../live/user.ts";
import { hasProgram, sh } from "./sh.ts";

/** A live user with hands on the processes themselves. */
export interface FaultUser extends LiveUser {
  /** A connection to the running daemon: cheaper than a command for each of many calls. */
  door(): Promise<Client>;
  /** `rollcall up`; returns the pid of the daemon. */
  up(env?: RunOptions["env"]): Promise<number>;
  /** `kill -9` of the daemon, if there is one, and a new one, with these variables in its environment. */
  restart(env?: RunOptions["env"]): Promise<number>;
  /** What the holder of a session wrote down about its processes. */
  holderOf(session: Shown): Held;
  /** A C program of `test/faults/native` or `native/test`, built on first use. */
  program(name: string): string;
}

export interface Held extends HolderFile {
  readonly folder: string;
  readonly marker: string;
}

export function newFaultUser(): FaultUser {
  const user = newLiveUser();
  const built = new Map<string, string>();
  const up = async (env: RunOptions["env"] = {}) => {
    const { daemon } = (await user.ok(["up", "--json"], { env })).json as unknown as {
      daemon: { pid: number };
    };
    return daemon.pid;
  };
  return {
    ...user,
    up,
    restart: async (env) => {
      if ((await user.daemonPid()) !== undefined) await user.killDaemon();
      return up(env);
    },
    door: async () => {
      const client = await connectDaemon(join(user.state, "run"));
      if (!client) throw new Error("No daemon listens.");
      return client;
    },
    holderOf: (session) => heldOf(user, session),
    program: (name) => {
      const path = built.get(name) ?? compile(name, user.folder);
      built.set(name, path);
      return path;
    },
  };
}

function heldOf(user: LiveUser, session: Shown): Held {
  const { pid } = session.process as { pid: number };
  for (const folder of user.launchFolders()) {
    const file = findHolderFile(folder);
    if (file?.agent.pid === pid) return { ...file, folder, marker: basename(folder) };
  }
  throw new Error(`No holder wrote down process ${pid}.`);
}

/** Why C programs cannot be built here, or undefined. */
export function whyNoCompiler(): string | undefined {
  return hasProgram("cc") ? undefined : "cc is missing (apt-get install build-essential)";
}

function compile(name: string, folder: string): string {
  const own = join(import.meta.dirname, "native", `${name}.c`);
  const source = hasFile(own) ? own : join(import.meta.dirname, "..", "..", "native", "test", `${name}.c`);
  const output = join(folder, name);
  const isLibrary = readFileSync(source, "utf8").includes("RTLD_NEXT");
  const how = isLibrary ? ["-shared", "-fPIC", "-ldl"] : ["-std=c11", "-D_GNU_SOURCE"];
  sh("cc", "-O1", "-o", output, source, ...how);
  return output;
}

function hasFile(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** `kill -9`, and waits until it is gone. */
export async function killNow(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await gone(pid);
}

/** Waits until the record says so; not by `wait`, which needs the daemon. */
export async function reaches(
  user: LiveUser,
  id: string,
  want: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  await using rollcall = await user.library();
  let seen = {} as Shown;
  const isSo = async () => {
    seen = toWire(await rollcall.get(id)) as Shown;
    return Object.entries(want).every(([key, value]) => seen[key] === value);
  };
  await until(isSo, `${id} to be ${JSON.stringify(want)}`).catch(() => undefined);
  expect(seen).toMatchObject(want);
  return seen;
}

/** Whether the same process still lives, by pid and start time. */
export function isSame({ pid, startTime }: { readonly pid: number; readonly startTime: string }): boolean {
  return isAlive(pid) && startTimeOf(pid) === startTime;
}

export type Started = SessionRecord;
