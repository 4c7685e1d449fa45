import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { type OpencodeMessage, writeOpencode } from "../../src/testing/history/opencode/database.ts";
import type { Shown } from "../cli/rollcall.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

const TOKENS = { input: 3, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
const NATIVE = "ses_one";

test("a conversation that grows in a database is a session outside, of the only process in its folder", async () => {
  await using user = newLiveUser();
  await using opencode = openedBy(user, [user.workspace, user.folder]);
  const [here] = opencode.processes;
  await user.ok(["up"]);
  opencode.write(asked("hello"));
  const working = { origin: "observed", agent_type: "opencode", state: "running" };
  await expect.poll(() => listed(user)).toMatchObject([{ ...working, process: { pid: here?.pid } }]);
  const [{ id } = {}] = await listed(user);
  expect(await user.rollcall(["end", String(id)])).toMatchObject({ code: 4 });
  opencode.write(asked("hello"), answered("said"));
  await expect
    .poll(() => user.get(String(id)))
    .toMatchObject({
      ...{ state: "waiting_input", native_id: NATIVE, attached: null },
      turn: { number: 1, state: "done", outcome: "success" },
      usage: { turns: 1, tokens_input: 3, tokens_output: 2 },
    });
  await left(here);
  await expect.poll(() => user.get(String(id))).toMatchObject({ state: "unknown", outcome: null });
});

test("a sub-agent in the database of a session outside is a child session of it", async () => {
  await using user = newLiveUser();
  await using opencode = openedBy(user, [user.workspace]);
  await user.ok(["up"]);
  opencode.write(asked("hello"));
  await expect.poll(() => listed(user)).toMatchObject([{ state: "running" }]);
  const [{ id } = {}] = await listed(user);
  opencode.writeChild(asked("help", "c"), answered("helped", "c"));
  await expect.poll(async () => (await listed(user)).length).toBe(2);
  const child = async () => (await listed(user)).find(({ parent_id }) => parent_id === id);
  await expect.poll(child).toMatchObject({ agent_name: "general", state: "stopped", outcome: "success" });
  const { usage, usage_with_children: all } = await user.get(String(id));
  expect([usage, all]).toMatchObject([{ tokens_total: null }, { tokens_total: 5 }]);
});

test("a session outside has no process where two in its folder can be the one", async () => {
  await using user = newLiveUser();
  await using opencode = openedBy(user, [user.workspace, user.workspace]);
  await user.ok(["up"]);
  opencode.write(asked("hello"));
  await expect
    .poll(() => listed(user))
    .toMatchObject([{ origin: "observed", state: "running", process: null }]);
});

test("a conversation that does not grow while the daemon runs is no session outside", async () => {
  await using user = newLiveUser();
  await using opencode = openedBy(user, [user.workspace]);
  opencode.write(asked("before"));
  await user.ok(["up"]);
  opencode.write(asked("before"), asked("now", "b"));
  await expect.poll(() => listed(user)).toMatchObject([{ about: "before", turn: { number: 2 } }]);
});

interface Opened extends AsyncDisposable {
  readonly processes: readonly ChildProcess[];
  /** Brings the conversation to these messages. */
  write(...messages: readonly OpencodeMessage[]): void;
  /** The same for a sub-agent of it. */
  writeChild(...messages: readonly OpencodeMessage[]): void;
}

/** Processes that have the database open for writing, each in its folder. */
function openedBy(user: LiveUser, folders: readonly string[]): Opened {
  const path = join(user.env.HOME as string, ".local", "share", "opencode", "opencode.db");
  const bornMs = Date.now() - 60_000;
  const write = (id: string, parentId: string | null, messages: readonly OpencodeMessage[]) => {
    writeOpencode(path, [{ id, parentId, createdMs: bornMs, messages }]);
    db.prepare("UPDATE session SET directory = ?").run(user.workspace);
  };
  saidMs.clear();
  writeOpencode(path, []);
  // The log stays beside the database while somebody has it open.
  const db = new Database(path);
  write(NATIVE, null, []);
  const processes = folders.map((cwd) =>
    spawn("sh", ["-c", 'exec sleep 1000 3>>"$0"', path], { cwd, stdio: "ignore" }),
  );
  return {
    processes,
    write: (...messages) => write(NATIVE, null, messages),
    writeChild: (...messages) => write("ses_child", NATIVE, messages),
    [Symbol.asyncDispose]: async () => {
      for (const child of processes) await left(child);
      db.close();
    },
  };
}

const saidMs = new Map<string, number>();
/** A message keeps the time at which it was first written. */
const timeOf = (id: string) => saidMs.get(id) ?? saidMs.set(id, Date.now()).get(id) ?? 0;

function asked(text: string, of = "a"): OpencodeMessage {
  const created = timeOf(`${of} ${text}`);
  return { id: `msg_${of}1`, data: { role: "user", time: { created } }, parts: [{ type: "text", text }] };
}

function answered(text: string, of = "a"): OpencodeMessage {
  const created = timeOf(`${of} ${text}`) + 1;
  const time = { created, completed: created + 1 };
  return {
    id: `msg_${of}2`,
    data: { role: "assistant", time, tokens: TOKENS, providerID: "p", modelID: "m", finish: "stop" },
    parts: [{ type: "text", text, time: { start: created, end: created + 1 } }],
  };
}

async function listed(user: LiveUser): Promise<Shown[]> {
  return (await user.ok(["list", "--limit", "all", "--json"])).json.sessions as Shown[];
}

async function left(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
