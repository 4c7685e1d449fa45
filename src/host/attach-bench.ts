// Shared by the tests of the attach client. A holder stands for the user's terminal: its spool for the screen, its input
// for the keyboard.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { endByFile } from "./holder.ts";
import {
  findProcess,
  hasCompiler,
  markedProcesses,
  readOrEmpty,
  type SessionOptions,
  startSession,
  type TestConnection,
  type TestSession,
  until,
} from "./holder-bench.ts";
import type { HolderStatus } from "./holder-message.ts";

const NATIVE = join(import.meta.dirname, "..", "..", "native");
const ATTACH = join(NATIVE, "attach");

const programs = hasCompiler ? buildPrograms() : "";
const attachBinary = process.env.ROLLCALL_ATTACH ?? join(programs, "rollcall-attach");
/** Feeds bytes to the parts of the attach client, cut at every place. */
export const splitBinary = join(programs, "split");

/** Named after their source: a change builds anew. */
function buildPrograms(): string {
  const sources = [NATIVE, ATTACH, join(ATTACH, "test")].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(c|h|sh)$/.test(name))
      .map((name) => readFileSync(join(folder, name))),
  );
  const hash = createHash("sha1").update(Buffer.concat(sources)).digest("hex");
  const folder = join(tmpdir(), `rollcall-attach-${hash}`);
  if (existsSync(folder)) return folder;
  const temp = mkdtempSync(join(tmpdir(), "rollcall-attach-"));
  execFileSync(join(ATTACH, "test", "build.sh"), [temp], { stdio: "inherit" });
  execFileSync(join(NATIVE, "build.sh"), [join(temp, "rollcall-attach"), "--attach"], { stdio: "inherit" });
  try {
    renameSync(temp, folder);
  } catch {
    // Another worker was quicker.
    rmSync(temp, { recursive: true, force: true });
  }
  return folder;
}

export const attachCommand = (dir: string, ...args: string[]): string[] => [
  attachBinary,
  "--dir",
  dir,
  ...args,
];

const GRACE_MS = 1000;
const CLEAR = "\x1b[H\x1b[2J";
const RESET = "\x1b\\\x1b[?2026l";

/** A user's terminal with the attach client in it. */
export class TestTerminal implements AsyncDisposable {
  readonly session: TestSession;
  readonly keyboard: TestConnection;

  constructor(session: TestSession, keyboard: TestConnection) {
    this.session = session;
    this.keyboard = keyboard;
  }

  /** All that the terminal ever got. */
  received(): Buffer {
    return this.session.spooled();
  }

  /** The client's output since it cleared the screen, up to where it left. */
  shown(): string {
    const all = this.received().toString("latin1");
    const begin = all.lastIndexOf(CLEAR);
    if (begin < 0) return "";
    const text = all.slice(begin + CLEAR.length);
    const end = text.indexOf(RESET);
    return Buffer.from(end < 0 ? text : text.slice(0, end), "latin1").toString();
  }

  async shows(text: string): Promise<void> {
    await until(() => this.shown().includes(text) || undefined, `the screen ${JSON.stringify(text)}`);
  }

  /** When the screen was cleared for the first time: keys are taken from then on. */
  async begun(): Promise<void> {
    await until(() => this.received().includes(CLEAR) || undefined, "a screen");
  }

  type(bytes: Uint8Array | string): void {
    this.keyboard.holder.input(bytes);
  }

  /** The client's exit code. */
  async left(): Promise<number | null> {
    return (await this.session.ended()).agent.code;
  }

  /** The processes of the client: the one that waits, and its child that works. */
  async clients(): Promise<{ readonly keeper: number; readonly view: number }> {
    return until(() => {
      const pids = markedProcesses(this.session.marker).filter(isClient);
      const view = pids.find((pid) => pids.includes(findProcess(pid)?.parent ?? 0));
      return view === undefined ? undefined : { keeper: findProcess(view)?.parent ?? 0, view };
    }, "the two processes of the client");
  }

  hasClients(): boolean {
    return markedProcesses(this.session.marker).some(isClient);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // With a grace: a sanitized client looks for leaks when it leaves, and must not be killed meanwhile.
    await endByFile(this.session.dir, GRACE_MS);
    await this.session.ended();
    await this.keyboard[Symbol.asyncDispose]();
    await this.session[Symbol.asyncDispose]();
  }
}

function isClient(pid: number): boolean {
  return readOrEmpty(`/proc/${pid}/cmdline`).startsWith(`${attachBinary}\0`);
}

/** Opens a terminal that runs a command: the attach client itself, or a shell around it. */
export async function openTerminal(
  command: readonly string[],
  options: SessionOptions = {},
): Promise<TestTerminal> {
  const session = await startSession(command, { host: "pty", ...options });
  return new TestTerminal(session, await session.connect());
}

/** Asks until the status is as wanted: that a client left or took over is seen by the holder only a little later. */
export async function untilStatus(
  client: TestConnection,
  test: (status: HolderStatus) => boolean,
): Promise<HolderStatus> {
  let status = await client.status();
  for (let tries = 0; !test(status); tries++) {
    if (tries > MOST_TRIES) throw new Error(`Waited in vain for another status: ${JSON.stringify(status)}`);
    await delay(5);
    status = await client.status();
  }
  return status;
}

const MOST_TRIES = 2000;

export async function attach(session: TestSession, ...args: string[]): Promise<TestTerminal> {
  const terminal = await openTerminal(attachCommand(session.dir, ...args));
  await terminal.begun();
  return terminal;
}
