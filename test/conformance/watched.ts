import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { LAUNCHER, type Shown } from "../cli/rollcall.ts";
import type { Lab } from "./lab.ts";
import { isInShortRun } from "./matrix.ts";
import { type Kind, type Moment, noteMoment } from "./moments.ts";
import type { Program } from "./programs.ts";

/** A state as a person reads it: `running`, or `waiting_input:permission`. */
export type StateWord = string;

interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly body: {
    readonly state?: string;
    readonly by?: string;
    readonly waiting?: { readonly for: string } | null;
    readonly evidence?: { readonly source: string };
    readonly entry?: { readonly role: string; readonly text: string | null };
  };
  /** When it could be read. */
  readonly readAtMs: number;
}

interface Said {
  readonly role: string;
  readonly kind: string;
  readonly text: string | null;
  readonly tool: unknown;
  readonly name?: string;
}

interface Given extends Pick<Lab, "ok" | "rollcall" | "env" | "program"> {
  readonly id: string;
  readonly kind: Kind;
  readonly program: Program;
}

export interface Labelled {
  /** What it may pass through on the way there, in this order. */
  readonly via?: readonly StateWord[];
  /** When that happened which leads to it. */
  readonly causeMs?: number;
  /** For what the program itself takes longer over than any other moment. */
  readonly patienceMs?: number;
  /** The program comes up in between. */
  readonly isComingUp?: true;
}

/** Long on any machine, and shorter than anything that a program gives up by itself. */
const PATIENCE_MS = 60_000;

/** A session whose every event is read as soon as it is there. */
export class Watched {
  readonly id: string;
  readonly #given: Given;
  readonly #follower: ChildProcess;
  readonly #changes: Change[] = [];
  #seenSeq = 0;
  #lastWord: StateWord | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.id = given.id;
    this.#follower = spawn(process.execPath, [LAUNCHER, "events", given.id, "-f", "--json"], {
      env: given.env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    createInterface({ input: this.#follower.stdout as NodeJS.ReadableStream }).on("line", (line) =>
      this.#changes.push({ ...(JSON.parse(line) as Omit<Change, "readAtMs">), readAtMs: Date.now() }),
    );
  }

  async stop(): Promise<void> {
    if (this.#follower.exitCode !== null || this.#follower.signalCode !== null) return;
    this.#follower.kill("SIGTERM");
    await once(this.#follower, "close");
  }

  async get(): Promise<Shown> {
    return (await this.#given.ok(["get", this.id, "--json"])).json;
  }

  /** Compares what is known to be so with what Rollcall says, and notes it for the scorecard. Fails where it is wrong. */
  async at(moment: string, expected: StateWord, labelled: Labelled = {}): Promise<Shown> {
    const { via = [], causeMs, patienceMs } = labelled;
    const reached = await this.#until((change) => wordOf(change) === expected, patienceMs);
    const path = this.#pathSince();
    const shown = await this.get();
    const got = isOnTheWay(path, via, expected) ? shownWord(shown) : path.join(" ");
    const verdict = got === expected ? "right" : got === "unknown" ? "unknown" : "wrong";
    this.#note({
      moment,
      expected,
      got,
      verdict,
      source: String(shown.state_source),
      latencyMs: reached && causeMs !== undefined ? Math.max(0, reached.readAtMs - causeMs) : null,
      isComingUp: labelled.isComingUp === true,
    });
    this.#pass(expected);
    expect(got, `${moment}: ${JSON.stringify(shown.waiting)} by ${path.join(" → ")}`).toBe(expected);
    return shown;
  }

  /** It is still so after a while, and was so all the time, but for what it may pass through. */
  async stays(
    moment: string,
    expected: StateWord,
    ms: number,
    { via = [] }: Pick<Labelled, "via"> = {},
  ): Promise<void> {
    await sleep(ms);
    const shown = await this.get();
    const path = this.#pathSince();
    const isStray = path.some((word) => word !== expected && !via.includes(word));
    const got = isStray ? path.join(" ") : shownWord(shown);
    const verdict = got === expected ? "right" : "wrong";
    const source = String(shown.state_source);
    this.#note({ moment, expected, got, verdict, source, latencyMs: null, isComingUp: false });
    this.#pass(expected);
    expect(got, moment).toBe(expected);
  }

  /** What it asks for, once it is known in full. */
  async asked(): Promise<{ readonly request_id: string; readonly tool: string; readonly input: object }> {
    const waiting = async () => (await this.get()).waiting as Awaited<ReturnType<Watched["asked"]>> | null;
    await expect.poll(async () => (await waiting())?.input ?? null, { timeout: 60_000 }).not.toBeNull();
    return (await waiting()) as Awaited<ReturnType<Watched["asked"]>>;
  }

  /** When an input of this kind was written down last. */
  async inputGivenMs(by: string): Promise<number> {
    const isIt = ({ kind, body }: Change) => kind === "input_given" && body.by === by;
    return (await this.#until(isIt))?.readAtMs ?? Date.now();
  }

  /** Types a text as a person would; resolves when Rollcall says that it was taken. Only what comes behind it counts. */
  async send(text: string): Promise<void> {
    const { seq } = (await this.#given.ok(["send", this.id, "--json", "--", text])).json;
    this.#seenSeq = Number(seq);
  }

  /** Types a text in mid-turn; resolves when the program shows it. Its turn is known once the program takes it up. */
  async queue(text: string): Promise<{ readonly turn: Promise<number> }> {
    const sent = this.#given.ok(["send", this.id, "--json", "--", text]);
    const turn = sent.then(({ json }) => Number(json.turn));
    const screen = async () => String((await this.#given.ok(["data", this.id, "--json"])).json.screen);
    await expect.poll(screen).toContain(text);
    return { turn };
  }

  /** What was said and done; not what the program logs beside it. */
  async entries(): Promise<Said[]> {
    const { json } = await this.#given.ok(["data", this.id, "--tail", "200", "--json"]);
    return (json.entries as Said[]).filter(({ name }) => name !== "stderr");
  }

  async pid(): Promise<number> {
    return ((await this.get()).process as { pid: number }).pid;
  }

  #note(seen: Omit<Moment, "program" | "version" | "kind" | "row" | "isSlow">): void {
    const { program, kind } = this.#given;
    const row = expect.getState().currentTestName?.split(" > ").at(-1) ?? "";
    const isSlow = !isInShortRun({ program: program.name, kind }, row);
    noteMoment({ program: program.name, version: program.version, kind, row, isSlow, ...seen });
  }

  /** Only what comes from here on counts for the next moment. */
  #pass(word: StateWord): void {
    this.#seenSeq = this.#changes.at(-1)?.seq ?? 0;
    this.#lastWord = word;
  }

  /** The states that it went through since the moment before, each once in a row; what is only told in full is none. */
  #pathSince(): StateWord[] {
    const words = this.#changes.filter(({ seq }) => seq > this.#seenSeq).flatMap((one) => wordOf(one) ?? []);
    return words.filter((word, index) => word !== (index === 0 ? this.#lastWord : words[index - 1]));
  }

  /** Waits until the newest state is so. */
  async #until(isIt: (change: Change) => boolean, patienceMs = PATIENCE_MS): Promise<Change | undefined> {
    const last = performance.now() + patienceMs;
    while (performance.now() < last) {
      const since = this.#changes.filter(({ seq }) => seq > this.#seenSeq);
      const found = since.findLast((change) => wordOf(change) !== undefined || isIt(change));
      if (found && isIt(found)) return found;
      const input = since.findLast(isIt);
      if (input && wordOf(input) === undefined) return input;
      await sleep(10);
    }
    return undefined;
  }
}

/** Whether it took no other steps than these, in their order, and then got there. */
function isOnTheWay(path: readonly StateWord[], via: readonly StateWord[], expected: StateWord): boolean {
  const steps = path.at(-1) === expected ? path.slice(0, -1) : path;
  let from = 0;
  return steps.every((step) => {
    const at = via.indexOf(step, from);
    from = at + 1;
    return at >= 0;
  });
}

function wordOf({ kind, body }: Change): StateWord | undefined {
  if (kind === "created" || body.state === undefined) return undefined;
  const what = kind === "at_prompt" ? "prompt" : body.waiting?.for;
  return what === undefined ? body.state : `${body.state}:${what}`;
}

function shownWord({ state, waiting }: Shown): StateWord {
  const request = waiting as { readonly for: string } | null;
  return request ? `${state}:${request.for}` : String(state);
}
