// Shared by the tests of the program: a real process, driven by lines of JSON.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Deed } from "../../deed.ts";

const PROGRAM = join(import.meta.dirname, "main.ts");

export interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

export class PipedAgent implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly texts: string[] = [];
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exited: Promise<unknown[]>;
  errors = "";
  #wake = () => {};

  constructor(home: string, args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [PROGRAM, "--print", ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, SCRIPTED_AGENT_HOME: home, ...env },
    });
    this.exited = once(this.child, "close");
    this.child.stdin.on("error", () => {});
    this.child.stderr.on("data", (data: Buffer) => (this.errors += data.toString()));
    void this.#read();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const data of this.child.stdout.setEncoding("utf8")) {
      const lines = (rest + data).split("\n");
      rest = lines.pop() as string;
      this.texts.push(...lines);
      this.lines.push(...lines.map((line) => JSON.parse(line) as Line));
      this.#wake();
    }
  }

  tell(value: object): void {
    this.child.stdin.write(`${JSON.stringify(value)}\n`);
  }

  send(deed: Deed | undefined): void {
    if (deed?.via !== "lines") throw new Error("There are no lines.");
    for (const line of deed.lines) this.child.stdin.write(`${line}\n`);
  }

  prompt(text: string): void {
    this.tell({ type: "user", text });
  }

  /** The line of a type that comes as the so-manieth. */
  async hears(type: string, count = 1): Promise<Line> {
    for (;;) {
      const found = this.lines.filter((line) => line.type === type);
      if (found.length >= count) return found[count - 1] as Line;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** A summary of the turn's output. */
  async turn(text: string): Promise<string[]> {
    this.prompt(text);
    await this.hears("result");
    const shown = this.lines.filter(({ type }) => !["init", "state", "user"].includes(type));
    return shown.map(({ type, text: said, turn }) => [type, turn, said].filter(Boolean).join(" "));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }
}

/** The program with a folder of its own for its transcripts; at the end of its block both are gone. */
export function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), "scripted-"));
  const agent = new PipedAgent(home, args, env);
  const stop = agent[Symbol.asyncDispose].bind(agent);
  return Object.assign(agent, {
    home,
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  });
}
