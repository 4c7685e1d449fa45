import { existsSync, mkdirSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Item, now, VERSION } from "./line.ts";
import type { Options } from "./options.ts";

/** The file of a session: made with its first turn, and from then on only added to. */
export class Transcript {
  readonly path: string;
  /** The conversation before this run. */
  readonly history: readonly Item[];
  readonly #head: object;
  #file: number | undefined;
  /** The turns so far, those of earlier runs included. */
  turns: number;

  constructor(home: string, options: Options) {
    const folder = join(home, "sessions");
    const pathOf = (id: string) => join(folder, `${id}.jsonl`);
    this.path = pathOf(options.sessionId);
    this.#head = { session_id: options.sessionId, model: options.model, version: VERSION };
    const lines = options.continues === null ? [] : readLines(pathOf(options.continues.id));
    if (options.continues?.how === "fork")
      writeFileSync(this.path, inherit(lines), { flag: "wx", mode: 0o600 });
    this.history = lines as unknown as readonly Item[];
    this.turns = lines.filter(({ type }) => type === "user").length;
  }

  /** Whether there is a conversation with this id. */
  static has(home: string, id: string): boolean {
    return existsSync(join(home, "sessions", `${id}.jsonl`));
  }

  beginTurn(): number {
    if (this.#file === undefined) this.#create();
    return ++this.turns;
  }

  write(item: Item): void {
    this.#line({ ...item, time: now() });
  }

  /** The file is gone, and what is written from now on goes with it. */
  lose(): void {
    unlinkSync(this.path);
  }

  #create(): void {
    mkdirSync(join(this.path, ".."), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.path, "a", 0o600);
    this.#line({ type: "init", ...this.#head, time: now() });
  }

  #line(value: object): void {
    writeSync(this.#file as number, `${JSON.stringify(value)}\n`);
  }
}

function readLines(path: string): { readonly type: string }[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as { type: string });
}

/** A copy tells that it is one: what it holds was said and paid for elsewhere. */
function inherit(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify({ ...line, inherited: true })}\n`).join("");
}
