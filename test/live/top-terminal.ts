import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectHolder, endByFile, type HolderConnection, startHolder } from "../../src/host/holder.ts";
import type { HolderExit } from "../../src/host/holder-files.ts";
import { Screen } from "../../src/host/screen.ts";
import { LAUNCHER, ROOT } from "../cli/rollcall.ts";
import { gone } from "./user.ts";

const HOLDER = join(ROOT, "dist", "native", "rollcall-holder");
const PATIENCE_MS = 120_000;

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols?: number;
  readonly rows?: number;
}

/** A real terminal with a person at it: a PTY, what it shows, and the keys they press. */
export class Terminal implements AsyncDisposable {
  readonly #dir: string;
  readonly #holder: HolderConnection;
  readonly #screen: Screen;
  readonly #exit = Promise.withResolvers<HolderExit>();
  readonly #pids: readonly number[];
  #looks = new Set<() => void>();
  raw = "";

  constructor(dir: string, holder: HolderConnection, pids: readonly number[], screen: Screen) {
    this.#dir = dir;
    this.#holder = holder;
    this.#pids = pids;
    this.#screen = screen;
    void this.#read();
  }

  /** The process that the terminal was opened for. */
  get pid(): number {
    return this.#pids[0] as number;
  }

  get exit(): Promise<HolderExit> {
    return this.#exit.promise;
  }

  get text(): string {
    return this.#screen.text();
  }

  get isAlternate(): boolean {
    return this.#screen.isAlternate;
  }

  /** Waits until the screen shows it. */
  async shows(what: string | RegExp): Promise<void> {
    const isShown = () => (typeof what === "string" ? this.text.includes(what) : what.test(this.text));
    await this.#until(isShown, `the screen to show ${what}`);
  }

  async hasSent(bytes: string, after = 0): Promise<void> {
    await this.#until(() => this.raw.indexOf(bytes, after) >= 0, JSON.stringify(bytes));
  }

  press(keys: string): void {
    this.#holder.input(keys);
  }

  resize(cols: number, rows: number): void {
    this.#screen.resize({ cols, rows });
    this.#holder.resize(cols, rows);
  }

  /** As a window that is closed: the terminal is gone from one moment to the next. */
  async hangUp(): Promise<void> {
    const [, ...holders] = this.#pids;
    for (const pid of holders) process.kill(pid, "SIGKILL");
    await Promise.all(holders.map(gone));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endByFile(this.#dir, 0);
    await this.#holder[Symbol.asyncDispose]();
    await Promise.all(this.#pids.map(gone));
    this.#screen[Symbol.dispose]();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #read(): Promise<void> {
    for await (const message of this.#holder) {
      if (message.type === "exit") this.#exit.resolve(message.exit);
      if (message.type !== "output") continue;
      this.raw += message.bytes.toString();
      await this.#screen.write(message.bytes);
      for (const look of this.#looks) look();
    }
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    if (isSo()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => isSo() && resolve();
    const timer = setTimeout(
      () => reject(new Error(`Waited in vain for ${what}:\n${this.text}`)),
      PATIENCE_MS,
    );
    this.#looks.add(look);
    await promise.finally(() => {
      clearTimeout(timer);
      this.#looks.delete(look);
    });
  }
}

export async function openTerminal(
  command: readonly string[],
  { env, cwd, cols = 80, rows = 24 }: TerminalOptions,
): Promise<Terminal> {
  const dir = mkdtempSync(join(tmpdir(), "rt-"));
  const start = await startHolder({ binary: HOLDER, dir, host: "pty", command, env, cwd, cols, rows });
  if (!start.ok) throw new Error(`${command.join(" ")} could not be started: ${start.error}`);
  const holder = await connectHolder(dir, { role: "view", types: true, from: 0, cols, rows });
  return new Terminal(dir, holder, [start.agent, start.holder, start.guard], new Screen({ cols, rows }));
}

/** The command line at a terminal, as its user. */
export async function rollcallAt(
  user: { readonly env: Readonly<Record<string, string>>; readonly workspace: string },
  args: readonly string[],
  size: { readonly cols?: number; readonly rows?: number } = {},
): Promise<Terminal> {
  return openTerminal([process.execPath, LAUNCHER, ...args], { env: user.env, cwd: user.workspace, ...size });
}
