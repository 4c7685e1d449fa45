import { RollcallError } from "../errors.ts";
import type { WaitingFor } from "../session/state.ts";
import { Pattern } from "./pattern.ts";
import { UnsupportedPattern } from "./pattern-parse.ts";

/** The meaning of a screen that looks like this. Data, so that a new release of an agent needs no new code. */
export interface ScreenRule {
  readonly name: string;
  readonly says: "ready" | "working" | "waiting";
  /** The kind of request that it shows. */
  readonly for?: WaitingFor;
  /** The choices of its dialog, in order. */
  readonly options?: readonly string[];
  /** A regular expression with the flags `mu`, without look-around and back-references. */
  readonly pattern: string;
  /** The rule does not hold where this matches too. */
  readonly not?: string;
  /** Looks at the last lines of the screen only. */
  readonly lastLines?: number;
  /** Holds only while nothing is written. Who knows that leaves the rule out otherwise. */
  readonly quiet?: boolean;
}

export interface ScreenMatch {
  readonly rule: ScreenRule;
  /** The matched lines. */
  readonly excerpt: string;
}

const MOST_TEXT_CHARS = 8192;
const MOST_PATTERN_CHARS = 500;
const MOST_EXCERPT_CHARS = 300;

/** The first rule that holds. Takes time in proportion to the text, whatever the patterns. */
export function matchScreen(rules: readonly ScreenRule[], text: string): ScreenMatch | undefined {
  for (const rule of rules) {
    const { pattern, not } = compiled(rule);
    const seen = lastOf(text, rule.lastLines);
    const found = pattern.find(seen);
    if (found === undefined || not?.find(seen) !== undefined) continue;
    return { rule, excerpt: linesAround(seen, found.start, found.end) };
  }
  return undefined;
}

/** Refuses (`bad_input`) a pattern that no rule can have. */
export function checkPattern(source: string): void {
  if (source.length > MOST_PATTERN_CHARS)
    throw badPattern(
      source,
      `is longer than ${MOST_PATTERN_CHARS} characters`,
      "Match one telling line, not the screen.",
    );
  try {
    new Pattern(source);
  } catch (error) {
    if (error instanceof UnsupportedPattern)
      throw badPattern(
        source,
        error.message,
        "Write it without; a rule's `not` excludes what must not be there.",
      );
    if (error instanceof SyntaxError)
      throw badPattern(source, "is not a regular expression", `${error.message}.`, error);
    throw error;
  }
}

function badPattern(source: string, problem: string, hint: string, cause?: unknown): RollcallError {
  const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source;
  return new RollcallError("bad_input", `The pattern ${JSON.stringify(shown)} ${problem}.`, {
    hint,
    facts: { pattern: source.slice(0, MOST_PATTERN_CHARS) },
    cause,
  });
}

interface Compiled {
  readonly pattern: Pattern;
  readonly not: Pattern | undefined;
}

const known = new WeakMap<ScreenRule, Compiled>();

function compiled(rule: ScreenRule): Compiled {
  const found = known.get(rule);
  if (found !== undefined) return found;
  for (const source of [rule.pattern, rule.not ?? ""]) checkPattern(source);
  const not = rule.not === undefined ? undefined : new Pattern(rule.not);
  const made = { pattern: new Pattern(rule.pattern), not };
  known.set(rule, made);
  return made;
}

function lastOf(text: string, lines = Infinity): string {
  const capped = text.slice(-MOST_TEXT_CHARS);
  // A line that is cut would seem to begin where it does not.
  const whole = capped.length < text.length ? capped.slice(capped.indexOf("\n") + 1) : capped;
  return lines === Infinity ? whole : whole.split("\n").slice(-lines).join("\n");
}

function linesAround(text: string, start: number, end: number): string {
  const from = text.slice(0, start).lastIndexOf("\n") + 1;
  const to = text.indexOf("\n", Math.max(start, end - 1));
  const lines = text.slice(from, to === -1 ? undefined : to).trim();
  return [...lines].slice(0, MOST_EXCERPT_CHARS).join("");
}
