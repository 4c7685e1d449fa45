import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import pino from "pino";
import { OutsideWatch, type SessionClue } from "../../daemon/outside/outside-watch.ts";
import type { Services } from "../../daemon/services.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { pidsWriting } from "../../machine/open-files.ts";
import { startTimeOf } from "../../machine/process.ts";
import { tempWorld } from "../temp-rollcall.ts";
import { useFakeTime } from "./fake-time.ts";
import { Recorder } from "./recorder.ts";

useFakeTime();

export const NATIVE_ID = "5d1f2b1e-0000-4000-8000-000000000001";

export interface GivenWatch {
  readonly isOn?: boolean;
  /** Whether the importer goes on with this transcript. */
  readonly isImported?: boolean;
}

/** A daemon's look-out for sessions of others, in a home with folders of the agents that tests write into. */
export async function watchPlace({ isOn = true, isImported = false }: GivenWatch = {}) {
  const world = tempWorld();
  const home = join(world.home, "..");
  mkdirSync(world.home, { recursive: true });
  writeFileSync(join(world.home, "config.json"), JSON.stringify({ "observe.outside": isOn }));
  const rollcall = await world.open({ now: () => Date.now(), env: { HOME: home } });
  const { context } = rollcall;
  const services = {
    context,
    log: pino({ enabled: false }),
    observations: { msToTick: 0, note: async () => {} },
    pricing: { now: async () => (request: UsageEntry) => request },
  } as unknown as Services;
  const carried = new Set<string>();
  const isCarried = (of: SessionClue) => carried.has("nativeId" in of ? of.nativeId : of.transcript);
  /** The paths that the importer was asked about, and its calls. */
  const imported = new Recorder<string>();
  const importer = {
    covers: (_: string, path: string) => {
      imported.add(path);
      return isImported;
    },
    lookSoon: () => imported.add("look"),
  };
  const watches: OutsideWatch[] = [];
  const claude = join(home, ".claude");
  return {
    ...{ world, rollcall, context, carried, imported },
    transcript: join(claude, "projects", "-w", `${NATIVE_ID}.jsonl`),
    liveFile: (pid: number) => join(claude, "sessions", `${pid}.json`),
    /** As a daemon that begins, or comes back. */
    begin: async () => {
      const watch = new OutsideWatch(services, isCarried, importer);
      watches.push(watch);
      await watch.begin();
      return watch;
    },
    rows: async (): Promise<readonly SessionRow[]> =>
      (await context.store.list({ limit: 0 })).items.map(({ row }) => row),
    /** Resolves with the only session, once it is like this. */
    row: async (isReached: (row: SessionRow) => boolean): Promise<SessionRow> => {
      for (;;) {
        const { items } = await context.store.list({ limit: 0 });
        const [row] = items.map((item) => item.row);
        if (row && isReached(row)) return row;
        await nextTurn();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const watch of watches) await watch.end();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

/** Adds a text of a person to a transcript of Claude Code, as a program does that has closed the file. */
export function prompt(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const timestamp = "2026-01-01T00:00:01.000Z";
  const said = { type: "user", promptSource: "typed", timestamp, cwd: "/w", uuid: text };
  appendFileSync(path, `${JSON.stringify({ ...said, message: { role: "user", content: text } })}\n`);
}

/** Says what a process of Claude Code says of itself. */
export function tell(path: string, pid: number, given: object = {}): void {
  const content = { pid, procStart: startTimeOf(pid), sessionId: NATIVE_ID, cwd: "/w", status: "idle" };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...content, ...given }));
}

/** A process that has this file open for writing until it is killed. */
export async function writerOf(path: string, env: NodeJS.ProcessEnv = process.env) {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "a");
  const child = spawn("sleep", ["1000"], { stdio: ["ignore", "ignore", file], env });
  const pid = child.pid as number;
  closeSync(file);
  while (!pidsWriting(path).includes(pid)) await nextTurn();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const left = once(child, "exit");
    child.kill("SIGKILL");
    await left;
  };
  return { pid, kill, [Symbol.asyncDispose]: kill };
}
