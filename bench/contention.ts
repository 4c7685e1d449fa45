import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Rollcall } from "../src/index.ts";
import type { WriterReport } from "./contention-writer.ts";
import type { Bench, Figure } from "./figure.ts";
import { childEnv } from "./scratch.ts";
import { createSessions, openIn } from "./sessions.ts";

const WRITERS = 8;
const SESSIONS = 10;
const WRITER = join(import.meta.dirname, "contention-writer.ts");

/** Many processes that update the same sessions at once: none fails, nothing is lost, the store is sound. */
export async function* contention(bench: Bench): AsyncIterable<Figure> {
  const updates = bench.isQuick ? 200 : 500;
  const home = bench.scratch.folder();
  await using rollcall = await openIn(home);
  const ids = await createSessions(rollcall, SESSIONS);
  const before = await totalSeq(rollcall, ids);
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => startWriter(bench, home)));
  const started = performance.now();
  const reports = await Promise.all(writers.map((writer) => ask(writer, { ids, updates })));
  const seconds = (performance.now() - started) / 1000;
  const errors = reports.flatMap((report) => report.errors);
  const kept = (await totalSeq(rollcall, ids)) - before;
  const acknowledged = WRITERS * updates - errors.length;
  const { problems } = await rollcall.verify();
  const worst = Math.max(...reports.map(({ worstMs }) => worstMs));
  const times = `${WRITERS} x ${updates} in ${seconds.toFixed(1)} s, the longest took ${worst.toFixed(0)} ms`;
  yield count("contention-errors", errors.length, errors[0] ?? times);
  yield count("contention-lost", Math.abs(acknowledged - kept), `${kept} kept of ${acknowledged}`);
  yield count("contention-unsound", problems.length, "problems that verify finds");
}

export interface WriterOrder {
  readonly ids: readonly string[];
  readonly updates: number;
}

/** Resolves when the writer has the store open, so that all begin together. */
async function startWriter({ scratch }: Bench, home: string): Promise<ChildProcess> {
  const writer = fork(WRITER, [home], { env: childEnv(), execArgv: [] });
  scratch.watch(writer);
  await answerOf(writer);
  return writer;
}

async function ask(writer: ChildProcess, order: WriterOrder): Promise<WriterReport> {
  const answer = answerOf(writer);
  writer.send(order);
  return (await answer) as WriterReport;
}

async function answerOf(writer: ChildProcess): Promise<unknown> {
  const ended = once(writer, "close").then(([code]) => {
    throw new Error(`A writer ended with ${code} before it answered.`);
  });
  const [answer] = await Promise.race([once(writer, "message"), ended]);
  return answer;
}

async function totalSeq(rollcall: Rollcall, ids: readonly string[]): Promise<number> {
  let total = 0;
  for (const id of ids) total += (await rollcall.get(id)).seq;
  return total;
}

function count(name: string, value: number, note: string): Figure {
  return { name, value, valueUnit: "count", note };
}
