import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openRollcall, type Rollcall, RollcallError, Session } from "../../../src/index.ts";
import { restoreBackup } from "../../../src/record/restore.ts";

/** Does what a line of stdin says with the library, and answers with a line on stdout. */
interface Failure {
  /** Null for an error that is none of ours. */
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
}

export type Answer<T> = ({ readonly value: T } | { readonly error: Failure }) & {
  readonly warnings: readonly string[];
};

interface Filled {
  readonly acknowledged: readonly number[];
  readonly failures: readonly Failure[];
}

export type Operations = typeof operations;

let rollcall: Rollcall | undefined;
let warnings: string[] = [];
/** Each restore keeps what was there under another time. */
let restores = 0;
const sessions = new Map<string, Session>();

const operations = {
  async open(home: string, workspace: string) {
    sessions.clear();
    rollcall = await openRollcall({
      home,
      cwd: workspace,
      env: {},
      warn: (sentence) => warnings.push(sentence),
    });
  },
  async create(file: boolean) {
    const session = await Session.create({ file }, { rollcall: opened() });
    sessions.set(session.id, session);
    return session.id;
  },
  async load(id: string) {
    sessions.set(id, await Session.load(id, { rollcall: opened() }));
  },
  /** One call after the other until one fails or all are done. */
  async record(id: string, from: number, count: number, bytes: number): Promise<Filled> {
    const acknowledged: number[] = [];
    for (let n = from; n < from + count; n++) {
      try {
        await sessionOf(id).recordToolCall(callOf(n, bytes));
        acknowledged.push(n);
      } catch (error) {
        return { acknowledged, failures: [failureOf(error)] };
      }
    }
    return { acknowledged, failures: [] };
  },
  /** All at once, so that they share commits. */
  async burst(id: string, from: number, count: number, bytes: number): Promise<Filled> {
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    const done = await Promise.allSettled(numbers.map((n) => sessionOf(id).recordToolCall(callOf(n, bytes))));
    return {
      acknowledged: numbers.filter((_, index) => done[index]?.status === "fulfilled"),
      failures: done.flatMap((one) => (one.status === "rejected" ? [failureOf(one.reason)] : [])),
    };
  },
  async numbers(id: string) {
    const numbers: number[] = [];
    for await (const { tool, text } of opened().entries(id))
      numbers.push(tool ? (tool.params as { n: number }).n : Number(text));
    return numbers;
  },
  /** Everything there is to read, through each door there is. */
  async readAll() {
    const page = await opened().page({ limit: 0 });
    const events: unknown[] = [];
    for await (const event of opened().feed()) events.push(event);
    const entries: unknown[] = [];
    for (const { id } of page.sessions) {
      for await (const entry of opened().entries(id)) entries.push({ id, entry });
    }
    await opened().search("call");
    for (const by of ["agent", "name", "model", "day", "purpose", "folder"] as const)
      await opened().stats({ by });
    return { sessions: page.sessions, corrupt: page.corrupt, events, entries };
  },
  async verify() {
    return opened().verify();
  },
  async backup(path: string) {
    return opened().backup(path);
  },
  /** As `rollcall restore` does it. */
  async restore(home: string, from: string) {
    restores++;
    return restoreBackup(home, from, restores);
  },
  /** Makes a session and deletes it. */
  async remove(nth: number) {
    await Session.create({ id: `removed-${nth}`, file: false }, { rollcall: opened() });
    return opened().delete(`removed-${nth}`);
  },
  async close() {
    await rollcall?.close();
    rollcall = undefined;
  },
};

function callOf(n: number, bytes: number): { name: string; params: { n: number }; result: string } {
  return { name: "call", params: { n }, result: "x".repeat(bytes) };
}

function opened(): Rollcall {
  if (!rollcall) throw new Error("Not opened.");
  return rollcall;
}

function sessionOf(id: string): Session {
  const session = sessions.get(id);
  if (!session) throw new Error(`No session ${id} here.`);
  return session;
}

function failureOf(error: unknown): Failure {
  if (error instanceof RollcallError)
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  return { code: null, message: String((error as Error).stack), hint: null };
}

async function answer(line: string): Promise<object> {
  const { name, args } = JSON.parse(line) as { name: keyof Operations; args: never[] };
  try {
    const value = await (operations[name] as (...args: never[]) => Promise<unknown>)(...args);
    return { value: value ?? null, warnings };
  } catch (error) {
    return { error: failureOf(error), warnings };
  }
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const reply = await answer(line);
    warnings = [];
    const text = Buffer.from(`${JSON.stringify(reply)}\n`);
    for (let written = 0; written < text.length; ) written += writeSync(1, text, written);
  }
}
