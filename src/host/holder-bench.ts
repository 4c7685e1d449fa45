// Shared by the tests of the holder: real programs, built once, and sessions that must leave nothing behind.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  connectHolder,
  endByFile,
  type HolderConnection,
  type HolderHello,
  type HolderOptions,
  type HolderStart,
  startHolder,
} from "./holder.ts";
import { findExitFile, findHolderFile, type HolderExit, readSpool } from "./holder-files.ts";
import type { HolderMessage, HolderStatus, Stream } from "./holder-message.ts";

const NATIVE = join(import.meta.dirname, "..", "..", "native");

/** Whether there is a C compiler. Says so if not; on CI that is a failure. */
export const hasCompiler = spawnSync(process.env.CC ?? "cc", ["--version"]).status === 0;
if (!hasCompiler) {
  const sentence = "not run: cc is missing (apt-get install build-essential)";
  if (process.env.CI === "true") throw new Error(sentence);
  process.stdout.write(`${sentence}\n`);
}

/** The folder of the test programs and of the holder, named after their source: a change builds anew. */
const programs = hasCompiler ? buildPrograms() : "";
export const holderBinary = process.env.ROLLCALL_HOLDER ?? join(programs, "rollcall-holder");
export const program = (
  name: "chain" | "escapes" | "first_thread" | "hopper" | "no_dnotify" | "stubborn" | "probe" | "tree_count",
) => join(programs, name);

function buildPrograms(): string {
  const sources = [NATIVE, join(NATIVE, "test")].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(c|h|sh)$/.test(name))
      .map((name) => readFileSync(join(folder, name))),
  );
  const folder = join(
    tmpdir(),
    `rollcall-native-${createHash("sha1").update(Buffer.concat(sources)).digest("hex")}`,
  );
  if (existsSync(folder)) return folder;
  const temp = mkdtempSync(join(tmpdir(), "rollcall-native-"));
  execFileSync(join(NATIVE, "test", "build.sh"), [temp], { stdio: "inherit" });
  execFileSync(join(NATIVE, "build.sh"), [join(temp, "rollcall-holder")], { stdio: "inherit" });
  try {
    renameSync(temp, folder);
  } catch {
    // Another worker was quicker.
    rmSync(temp, { recursive: true, force: true });
  }
  return folder;
}

export type SessionOptions = Partial<Omit<HolderOptions, "command">>;

/** A session of a real holder in a folder of its own. At the end of its block nothing of it may be left. */
export class TestSession implements AsyncDisposable {
  readonly dir: string;
  readonly marker: string;
  readonly start: HolderStart;

  constructor(dir: string, marker: string, start: HolderStart) {
    this.dir = dir;
    this.marker = marker;
    this.start = start;
  }

  get pids(): { readonly guard: number; readonly holder: number; readonly agent: number } {
    if (!this.start.ok) throw new Error(`The session did not start: ${this.start.error}`);
    return this.start;
  }

  async connect(hello: HolderHello = { role: "control" }): Promise<TestConnection> {
    const connection = new TestConnection(await connectHolder(this.dir, hello));
    await until(
      () => connection.isClosed || connection.messages.some(({ type }) => type === "status") || undefined,
      "a greeting",
    );
    return connection;
  }

  /** The final word on the session. */
  async ended(state: HolderExit["tree"]["state"] = "empty"): Promise<HolderExit> {
    return until(() => {
      const exit = findExitFile(this.dir);
      return exit?.tree.state === state ? exit : undefined;
    }, `a tree that is ${state}`);
  }

  spooled(stream: Stream = "out"): Buffer {
    return readSpool(this.dir, stream).bytes;
  }

  async says(text: string, stream: Stream = "out"): Promise<void> {
    await until(() => this.spooled(stream).includes(text) || undefined, `the output ${JSON.stringify(text)}`);
  }

  /** When guard and holder are gone too. */
  async left(): Promise<void> {
    const file = findHolderFile(this.dir);
    const pids = file === undefined ? [] : [file.guard.pid, file.holder.pid];
    await until(() => pids.every((pid) => !isAlive(pid)) || undefined, "guard and holder to leave");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endByFile(this.dir, 0);
    await this.left();
    const left = markedProcesses(this.marker);
    const files = readdirSync(this.dir);
    const reports = files.filter((name) => name.startsWith("sanitizer"));
    const said = reports.map((name) => readFileSync(join(this.dir, name), "utf8"));
    rmSync(this.dir, { recursive: true, force: true });
    if (said.length > 0) throw new Error(said.join("\n"));
    if (left.length > 0) throw new Error(`left behind: ${left.map(describeProcess).join(", ")}`);
    if (files.includes("socket")) throw new Error("left behind: the socket");
  }
}

export async function startSession(
  command: readonly string[],
  options: SessionOptions = {},
): Promise<TestSession> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "rh-"));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const marker = randomUUID();
  const start = await startHolder({
    binary: holderBinary,
    host: "pipe",
    cwd: tmpdir(),
    ...options,
    dir,
    env: { ...(process.env as Record<string, string>), ...options.env, ...markOf(dir, marker) },
    command,
  });
  return new TestSession(dir, marker, start);
}

/** The marker of the session, and where a sanitized holder reports to: its own streams go nowhere. */
function markOf(dir: string, marker: string): Record<string, string> {
  const report = `log_path=${join(dir, "sanitizer")}`;
  return { ROLLCALL_SESSION: marker, ASAN_OPTIONS: report, UBSAN_OPTIONS: `${report}:print_stacktrace=1` };
}

/** Its bytes are overwritten by the next one. */
function keepMessage(message: HolderMessage): HolderMessage {
  return message.type === "output" ? { ...message, bytes: Buffer.from(message.bytes) } : message;
}

/** A connection whose messages are kept, so that a test can wait for any of them. */
export class TestConnection implements AsyncDisposable {
  readonly holder: HolderConnection;
  readonly messages: HolderMessage[] = [];
  isClosed = false;
  readonly #reading: Promise<void>;

  constructor(holder: HolderConnection) {
    this.holder = holder;
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    for await (const message of this.holder) this.messages.push(keepMessage(message));
    this.isClosed = true;
  }

  output(stream: Stream = "out"): Buffer {
    const chunks = this.messages.flatMap((m) =>
      m.type === "output" && m.stream === stream ? [m.bytes] : [],
    );
    return Buffer.concat(chunks);
  }

  async has<T extends HolderMessage["type"]>(
    type: T,
    test: (message: Extract<HolderMessage, { type: T }>) => boolean = () => true,
  ): Promise<Extract<HolderMessage, { type: T }>> {
    type Wanted = Extract<HolderMessage, { type: T }>;
    const find = () => this.messages.find((m): m is Wanted => m.type === type && test(m as Wanted));
    return until(find, `a message of type ${type}`);
  }

  async shows(text: string): Promise<void> {
    await until(() => this.output().includes(text) || undefined, `the output ${JSON.stringify(text)}`);
  }

  /** The status as it is now, not as it was on connecting. */
  async status(): Promise<HolderStatus> {
    const known = this.messages.length;
    this.holder.askStatus();
    const find = () => this.messages.slice(known).find((m): m is HolderStatus => m.type === "status");
    return until(find, "a status");
  }

  async closed(): Promise<void> {
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.holder[Symbol.asyncDispose]();
  }
}

const PATIENCE_MS = 20_000;

/** Waits for a condition of the outer world, which sends us no event. */
export async function until<T>(find: () => T | undefined, what: string): Promise<T> {
  const last = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (Date.now() > last) throw new Error(`Waited in vain for ${what}.`);
    await delay(5);
  }
}

export interface ProcessFacts {
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  readonly terminal: number;
  readonly cpuTicks: number;
}

export function findProcess(pid: number): ProcessFacts | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  if (stat === "") return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent, session, terminal] = [Number(fields[1]), Number(fields[3]), Number(fields[4])];
  return {
    state: fields[0] as string,
    parent,
    session,
    terminal,
    cpuTicks: Number(fields[11]) + Number(fields[12]),
  };
}

/** A killed process keeps its entry until it is reaped: that is not being alive. */
export function isAlive(pid: number): boolean {
  const state = findProcess(pid)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

export function allPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function markedProcesses(marker: string): number[] {
  const mark = `ROLLCALL_SESSION=${marker}\0`;
  return allPids().filter((pid) => isAlive(pid) && readOrEmpty(`/proc/${pid}/environ`).includes(mark));
}

function describeProcess(pid: number): string {
  return `${pid} (${readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()})`;
}

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The output of `probe flood`. */
export function floodBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) bytes[i] = 32 + ((i * 7 + (i >> 8)) % 95);
  return bytes;
}
