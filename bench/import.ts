import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { importHistory } from "../src/history/import-history.ts";
import { openRollcall, type Rollcall } from "../src/index.ts";
import { cliMissing } from "./cli.ts";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { beside } from "./import-beside.ts";
import { interleave, median, tookMs } from "./measure.ts";
import { peakMbOf } from "./peak.ts";
import { writePlainTree } from "./plain-tree.ts";

/** The import of histories: what it writes, reads and holds, and how long others wait for the store meanwhile. */
export async function* importing(bench: Bench): AsyncIterable<Figure | NotRun> {
  yield* unchanged(bench);
  yield* appended(bench);
  yield* full(bench);
  yield* memory(bench);
  yield* beside(bench);
}

function openOn(root: string, home: string): Promise<Rollcall> {
  return openRollcall({ home, cwd: home, env: { HOME: root, CLAUDE_CONFIG_DIR: root } });
}

/** A second import of an unchanged tree, against looking at each of its files. */
async function* unchanged(bench: Bench): AsyncIterable<Figure> {
  const [root, home] = [bench.scratch.folder(), bench.scratch.folder()];
  const sessions = bench.isQuick ? 1000 : 10_000;
  writePlainTree(root, { sessions, requests: 1 });
  await using rollcall = await openOn(root, home);
  await importHistory(rollcall.context);
  const observer = new Database(join(home, "rollcall.db"), { readonly: true });
  const version = () => observer.pragma("data_version", { simple: true });
  const before = version();
  const compared = await interleave({
    rounds: 11,
    ours: () => tookMs(async () => void (await importHistory(rollcall.context))),
    baseline: () => tookMs(() => walk(root)),
  });
  const isWritten = version() !== before;
  observer.close();
  const note = `a second import of ${sessions} files, against a stat of each`;
  yield { name: "import-unchanged", ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
  yield {
    name: "import-unchanged-writes",
    value: isWritten ? 1 : 0,
    valueUnit: "count",
    note: "whether any of them wrote anything",
  };
}

function walk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else statSync(path);
  }
}

/** One line more in a large transcript. */
async function* appended(bench: Bench): AsyncIterable<Figure> {
  const [root, home] = [bench.scratch.folder(), bench.scratch.folder()];
  const { paths, bytes } = writePlainTree(root, { sessions: 1, requests: bench.isQuick ? 4000 : 22_000 });
  const [path = ""] = paths;
  await using rollcall = await openOn(root, home);
  await importHistory(rollcall.context);
  const line = readFileSync(path, "utf8").split("\n")[1] ?? "";
  appendFileSync(path, `${line}\n`);
  const before = bytesRead();
  const report = await importHistory(rollcall.context);
  const note = `MB read for a line of ${line.length} bytes behind ${Math.round(bytes / 1e6)} MB; ${report.bytes} bytes taken in`;
  yield { name: "import-appended", value: (bytesRead() - before) / 1e6, valueUnit: "MB", note };
  bench.scratch.remove(root);
}

/** Everything that this process has read, from files and from whatever else. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** A whole import with its search index, against the same rows by hand; and the longest that the store was held. */
async function* full(bench: Bench): AsyncIterable<Figure> {
  const root = bench.scratch.folder();
  const { bytes } = writePlainTree(root, { sessions: 20, requests: bench.isQuick ? 100 : 500 });
  const held: Held[] = [];
  let rows: readonly RawRow[] = [];
  const ours = async () => {
    const home = bench.scratch.folder();
    const rollcall = await openOn(root, home);
    const { context } = rollcall;
    const change: typeof context.store.change = async (id, decide, options) => {
      let began = heldSince();
      const done = await context.store.change(
        id,
        (...known) => {
          // In the transaction: nobody else can write from here on.
          began = heldSince();
          return decide(...known);
        },
        options,
      );
      held.push({ ms: performance.now() - began.ms, cpuMs: heldSince().cpuMs - began.cpuMs });
      return done;
    };
    const store = new Proxy(context.store, {
      get: (target, name) => (name === "change" ? change : bound(target, name)),
    });
    const ms = await tookMs(async () => void (await importHistory({ ...context, store })));
    await rollcall.close();
    if (rows.length === 0) rows = rowsIn(home);
    bench.scratch.remove(home);
    return bytes / ms;
  };
  await ours();
  const compared = await interleave({
    rounds: bench.isQuick ? 3 : 7,
    ours,
    baseline: async () => bytes / (await tookMs(() => insertRows(bench, rows))),
  });
  const note = `${Math.round(bytes / 1e6)} MB with search index, against the same ${rows.length} events by hand; aim 0.85`;
  yield { name: "import-full", ...compared, value: compared.ratio, valueUnit: "x", note };
  yield {
    name: "import-longest-commit",
    value: Math.round(Math.max(...held.map(({ ms }) => ms))),
    valueUnit: "count",
    note: `ms of the longest transaction, fsync included, median ${Math.round(median(held.map(({ ms }) => ms)))}; aim 50`,
  };
  yield {
    name: "import-long-commits",
    value: held.filter(({ cpuMs }) => cpuMs > 50).length,
    valueUnit: "count",
    note: `of ${held.length} transactions with more than 50 ms of work, whatever else the machine does`,
  };
}

/** How long a transaction held up other writers, and how much of this its own work took. */
interface Held {
  readonly ms: number;
  readonly cpuMs: number;
}

function heldSince(): Held {
  const { user, system } = process.threadCpuUsage();
  return { ms: performance.now(), cpuMs: (user + system) / 1000 };
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}

interface RawRow {
  readonly session: number;
  readonly seq: number;
  readonly id: string;
  readonly body: string;
}

function rowsIn(home: string): RawRow[] {
  const db = new Database(join(home, "rollcall.db"), { readonly: true });
  const rows = db.prepare("SELECT session, seq, id, body FROM events").all() as RawRow[];
  db.close();
  return rows;
}

/** As many in a transaction as an import commits at once. */
function insertRows(bench: Bench, rows: readonly RawRow[]): void {
  const folder = bench.scratch.folder();
  const db = new Database(join(folder, "raw.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(`CREATE TABLE events (feed INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, id TEXT UNIQUE, body TEXT);
    CREATE VIRTUAL TABLE search USING fts5 (text, content = '', contentless_delete = 1)`);
  const insert = db.prepare("INSERT INTO events (session, seq, id, body) VALUES (?, ?, ?, ?)");
  const index = db.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)");
  const insertAll = db.transaction((part: readonly RawRow[]) => {
    for (const { session, seq, id, body } of part) {
      const { lastInsertRowid } = insert.run(session, seq, id, body);
      index.run(lastInsertRowid, body);
    }
  });
  for (let start = 0; start < rows.length; start += 250) insertAll(rows.slice(start, start + 250));
  db.close();
  bench.scratch.remove(folder);
}

/** The most memory that an import of one large file takes, as the kernel counts it. */
async function* memory(bench: Bench): AsyncIterable<Figure | NotRun> {
  const notRun = cliMissing();
  if (notRun) return yield { name: "import-memory", notRun };
  const [root, home] = [bench.scratch.folder(), bench.scratch.folder()];
  const { bytes } = writePlainTree(root, { sessions: 1, requests: bench.isQuick ? 8000 : 40_000 });
  const env = { HOME: root, CLAUDE_CONFIG_DIR: root, ROLLCALL_HOME: home };
  const value = peakMbOf(["import", "--json"], env);
  const note = `the peak of an import of one file of ${Math.round(bytes / 1e6)} MB`;
  yield { name: "import-memory", value, valueUnit: "MB", note };
  bench.scratch.remove(root);
}
