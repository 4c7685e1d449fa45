import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import pino from "pino";
import { expect, test, vi } from "vitest";
import type { Agent, OutsideRows } from "../../agents/agent.ts";
import { findAgent } from "../../agents/registry.ts";
import type { EventBody } from "../../domain/session/event.ts";
import { pidsWriting } from "../../machine/open-files.ts";
import { stamp } from "../../record/context.ts";
import { LAUNCH } from "../../testing/carried.ts";
import { created } from "../../testing/events.ts";
import { usedDatabase, userMessage } from "../../testing/history/opencode/used-database.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import type { Services } from "../services.ts";
import { GrowingRows } from "./growing-rows.ts";
import type { OutsideSession } from "./outside-session.ts";

useFakeTime();

const MARKER = "b".repeat(32);
const NATIVE_ID = "ses_1";
const EVIDENCE = { source: "process", rule: "test", excerpt: null } as const;

interface Given {
  readonly isCarried?: boolean;
  readonly isImported?: boolean;
  /** The session of the conversation that is followed already. */
  readonly known?: { readonly hasProcess: boolean; readonly transcript: string };
}

/** One conversation of OpenCode in a database that no process has open. */
async function rowsPlace({ isCarried = false, isImported = false, known }: Given = {}) {
  const world = tempWorld();
  const rollcall = await world.open({ now: () => Date.now() });
  const { context } = rollcall;
  const root = join(world.home, "opencode");
  const path = join(root, "opencode.db");
  const source = `${path}#${NATIVE_ID}`;
  const scratch = usedDatabase(join(world.home, "scratch", "opencode.db"));
  const calls: string[] = [];
  const followed = (name: string, given: Partial<OutsideSession> = {}) =>
    ({
      process: null,
      ...given,
      follow: (of: string) => calls.push(`${name} follows ${of === source}`),
      runs: async ({ pid }: { readonly pid: number }) => calls.push(`${name} runs ${pid}`),
      lookOn: async () => calls.push(`${name} looks on`),
    }) as unknown as OutsideSession;
  const sessions = new Map<string, OutsideSession>();
  if (known)
    sessions.set(
      NATIVE_ID,
      followed("known", {
        process: known.hasProcess ? { pid: 1, startTime: "1", bootId: "b" } : null,
        transcript: known.transcript === "same" ? source : known.transcript,
      }),
    );
  const work: Promise<unknown>[] = [];
  const agent = findAgent("opencode") as Agent;
  const rows = new GrowingRows(
    {
      services: { context, log: pino({ enabled: false }) } as unknown as Services,
      importer: { covers: () => isImported, lookSoon: () => calls.push("import") },
      sessions: () => sessions,
      isCarried: () => isCarried,
      sessionOf: async ({ nativeId, cwd }) => followed(`${nativeId} in ${cwd}`),
      later: (one) => work.push(one()),
    },
    agent,
    { root, rows: agent.outside?.rows as OutsideRows },
  );
  scratch.write([userMessage("msg_1", Date.now() - 1)]);
  scratch.copyTo(path);
  return {
    ...{ context, path, scratch, calls, rows, sessions, followed },
    /** A text comes into the conversation at this moment. */
    grow: async (at = Date.now() + 1) => {
      scratch.write([userMessage("msg_1", Date.now() - 1), userMessage("msg_2", at)]);
      scratch.copyTo(path);
      while (vi.getTimerCount() === 0) await idle();
      await pass(1000);
      await Promise.all(work);
    },
    append: async (...bodies: readonly EventBody[]) =>
      context.store.change("s", () => bodies.map((body) => stamp(context, body))),
    [Symbol.asyncDispose]: async () => {
      rows.stop();
      scratch[Symbol.dispose]();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

/** A process that has the database open. */
async function writerOf(path: string, given: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string }) {
  const fd = openSync(path, "a");
  const child = spawn("sleep", ["1000"], { stdio: ["ignore", "ignore", fd], ...given });
  closeSync(fd);
  const pid = child.pid as number;
  while (!pidsWriting(path).includes(pid)) await nextTurn();
  return {
    pid,
    [Symbol.asyncDispose]: async () => {
      const left = once(child, "exit");
      child.kill("SIGKILL");
      await left;
    },
  };
}

test("a conversation that grows is followed as a session outside", async () => {
  await using at = await rowsPlace();
  at.rows.begin();
  await at.grow();
  expect(at.calls).toEqual(["ses_1 in /project follows true"]);
});

test("the process in its folder runs the session", async () => {
  await using at = await rowsPlace();
  at.rows.begin();
  // The session keeps its folder when it is written again.
  at.scratch.change(
    "CREATE TRIGGER folder AFTER INSERT ON session BEGIN UPDATE session SET directory = '/'; END",
  );
  await using writer = await writerOf(at.path, { cwd: "/" });
  await at.grow();
  expect(at.calls).toEqual([`ses_1 in / runs ${writer.pid}`, "ses_1 in / follows true"]);
});

test("a conversation that only processes of launches have open is none outside", async () => {
  await using at = await rowsPlace();
  at.rows.begin();
  await using _ = await writerOf(at.path, { env: { ...process.env, ROLLCALL_SESSION: MARKER } });
  await at.grow();
  expect(at.calls).toEqual([]);
});

test("a conversation that no process has open is left to the importer where that follows it", async () => {
  await using at = await rowsPlace({ isImported: true });
  at.rows.begin();
  await at.grow();
  expect(at.calls).toEqual(["import"]);
});

test("a conversation that a process has open is followed, though the importer follows it too", async () => {
  await using at = await rowsPlace({ isImported: true });
  at.rows.begin();
  await using _ = await writerOf(at.path, { cwd: "/" });
  await at.grow();
  expect(at.calls).toEqual(["ses_1 in /project follows true"]);
});

test("a conversation that a living session of Rollcall is in is none outside", async () => {
  await using at = await rowsPlace({ isCarried: true });
  at.rows.begin();
  await at.grow();
  expect(at.calls).toEqual([]);
});

test.each([
  ["with its process is not looked for again", { hasProcess: true, transcript: "same" }, 0],
  ["without a process is", { hasProcess: false, transcript: "same" }, 1],
  ["in another place is", { hasProcess: true, transcript: "/elsewhere" }, 1],
])("a session that is followed %s", async (_, known, count) => {
  await using at = await rowsPlace({ known });
  at.rows.begin();
  await at.grow();
  expect(at.calls.filter((call) => call.startsWith("ses_1"))).toHaveLength(count);
});

test("a daemon that comes back reads on what it followed", async () => {
  await using at = await rowsPlace({ known: { hasProcess: false, transcript: "/elsewhere" } });
  at.rows.begin();
  await idle();
  expect(at.calls).toEqual(["known follows true"]);
});

test("sessions of a database that changes look on, and those of another one do not", async () => {
  await using at = await rowsPlace({ known: { hasProcess: true, transcript: "same" } });
  at.sessions.set("other", at.followed("other", { transcript: "/elsewhere/opencode.db#other" }));
  at.sessions.set("none", at.followed("none"));
  at.rows.begin();
  await at.grow();
  expect(at.calls).toEqual(["known follows true", "known looks on"]);
});

test.each([
  ["lives is none outside, whatever it writes", [], 0],
  ["ended before the conversation grew goes on outside", [ended("2026-01-08T18:00:00.000Z")], 1],
  ["ended after the conversation grew is none outside", [ended("2026-01-08T19:00:00.000Z")], 0],
] as const)("a session of Rollcall that %s", async (_, bodies, count) => {
  await using at = await rowsPlace();
  const identity = { agentType: "opencode", nativeId: NATIVE_ID } as const;
  const begun = created({
    origin: "started",
    state: "starting",
    evidence: EVIDENCE,
    launch: LAUNCH,
    identity,
  });
  await at.append(begun);
  for (const { at: time, body } of bodies)
    await at.context.store.change("s", () => [{ ...stamp(at.context, body), at: time }]);
  at.rows.begin();
  await at.grow();
  expect(at.calls).toHaveLength(count);
});

function ended(at: string): { readonly at: string; readonly body: EventBody } {
  const end = { how: "left", exit: null, endReason: null, outcome: null } as const;
  return { at, body: { kind: "ended", state: "stopped", ...end, evidence: EVIDENCE, generation: 1 } };
}
