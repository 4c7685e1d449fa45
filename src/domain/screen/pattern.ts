import { type PatternNode, type Place, parsePattern, UnsupportedPattern } from "./pattern-parse.ts";

/** Where a pattern was found: from `start` to before `end`. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

type Step =
  | { readonly kind: "char"; readonly matches: (char: string) => boolean }
  | { readonly kind: "place"; readonly place: Place }
  | Fork
  | { readonly kind: "end" };

/** Goes on in several places, the preferred one first. */
interface Fork {
  readonly kind: "fork";
  to: readonly number[];
}

/** With repeated ones counted as often; the time of a search grows with these times the characters of the text. */
const MOST_PARTS = 600;

/**
 * A regular expression (flags `mu`) that takes linear time on any text: all ways to match are followed side by side, so
 * that none is tried twice, where the engine of JavaScript tries them one after another and may need years. It knows
 * no look-around and no back-references, which cannot be had in linear time. Throws `UnsupportedPattern` or `SyntaxError`.
 */
export class Pattern {
  readonly #steps: Step[] = [];
  #parts = 0;

  constructor(source: string) {
    new RegExp(source, "mu");
    this.#add(parsePattern(source));
    this.#steps.push({ kind: "end" });
  }

  /** The first place where it matches. */
  find(text: string): Found | undefined {
    const front = new Front(this.#steps, text);
    let found: Found | undefined;
    for (let at = 0, ways: readonly Way[] = []; ; ) {
      front.moveTo(at);
      for (const { step, start } of ways) front.reach(step, start);
      if (found === undefined) front.reach(0, at);
      found = front.found ?? found;
      if (at === text.length || (found !== undefined && front.ways.length === 0)) return found;
      const char = String.fromCodePoint(text.codePointAt(at) as number);
      ways = front.after(char);
      at += char.length;
    }
  }

  #fork(): Fork {
    const step: Fork = { kind: "fork", to: [] };
    this.#steps.push(step);
    return step;
  }

  #add(node: PatternNode): void {
    if (++this.#parts > MOST_PARTS) throw new UnsupportedPattern("repeats too much");
    if (node.kind === "char" || node.kind === "place") this.#steps.push(node);
    else if (node.kind === "all") for (const part of node.parts) this.#add(part);
    else if (node.kind === "any") this.#addAny(node.parts);
    else this.#addRepeat(node);
  }

  #addAny(parts: readonly PatternNode[]): void {
    const first = this.#fork();
    const ends = parts.map((part) => {
      const start = this.#steps.length;
      this.#add(part);
      return { start, end: this.#fork() };
    });
    first.to = ends.map(({ start }) => start);
    for (const { end } of ends) end.to = [this.#steps.length];
  }

  #addRepeat({ part, min, max, isLazy }: Extract<PatternNode, { kind: "repeat" }>): void {
    const choose = (more: number, out: number) => (isLazy ? [out, more] : [more, out]);
    // Where there is no end to it, the last one that must be there is the one that comes again.
    const copies = max === Infinity && min > 0 ? min - 1 : min;
    for (let i = 0; i < copies; i++) this.#add(part);
    if (max === Infinity) this.#addLoop(part, min > 0, choose);
    else this.#addOptional(part, max - min, choose);
  }

  #addLoop(part: PatternNode, atLeastOnce: boolean, choose: Choose): void {
    const at = this.#steps.length;
    const before = atLeastOnce ? undefined : this.#fork();
    this.#add(part);
    const after = this.#fork();
    const out = this.#steps.length;
    after.to = before === undefined ? choose(at, out) : [at];
    if (before !== undefined) before.to = choose(at + 1, out);
  }

  #addOptional(part: PatternNode, times: number, choose: Choose): void {
    const forks: { readonly at: number; readonly fork: Fork }[] = [];
    for (let i = 0; i < times; i++) {
      forks.push({ at: this.#steps.length, fork: this.#fork() });
      this.#add(part);
    }
    for (const { at, fork } of forks) fork.to = choose(at + 1, this.#steps.length);
  }
}

/** Puts going on and leaving in the order of preference. */
type Choose = (more: number, out: number) => readonly number[];

/** A step that waits for a character, and where its match began. */
interface Way {
  readonly step: number;
  readonly start: number;
}

/** All steps that can be reached at one place of the text, each once, the preferred ones first. */
class Front {
  ways: Way[] = [];
  found: Found | undefined;
  readonly #steps: readonly Step[];
  readonly #text: string;
  #at = 0;
  /** The last place, counted from one, where a step was reached. */
  readonly #seen: Uint32Array;

  constructor(steps: readonly Step[], text: string) {
    this.#steps = steps;
    this.#text = text;
    this.#seen = new Uint32Array(steps.length);
  }

  moveTo(at: number): void {
    this.#at = at;
    this.ways = [];
    this.found = undefined;
  }

  /** Where those go on that take the character. */
  after(char: string): Way[] {
    const taking = this.ways.filter(({ step }) => takes(this.#steps[step] as Step, char));
    return taking.map(({ step, start }) => ({ step: step + 1, start }));
  }

  reach(index: number, start: number): void {
    // Threads behind a match are less preferred than the match.
    if (this.found !== undefined || this.#seen[index] === this.#at + 1) return;
    this.#seen[index] = this.#at + 1;
    const step = this.#steps[index] as Step;
    if (step.kind === "char") this.ways.push({ step: index, start });
    else if (step.kind === "end") this.found = { start, end: this.#at };
    else if (step.kind === "fork") for (const to of step.to) this.reach(to, start);
    else if (isAt(step.place, this.#text, this.#at)) this.reach(index + 1, start);
  }
}

function takes(step: Step, char: string): boolean {
  return step.kind === "char" && step.matches(char);
}

const LINE_END = /^[\n\r\u2028\u2029]?$/u;
const WORD = /^\w$/u;

function isAt(place: Place, text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  if (place === "^") return LINE_END.test(before);
  if (place === "$") return LINE_END.test(after);
  return (WORD.test(before) !== WORD.test(after)) === (place === "\\b");
}
