import { plainText } from "../plain-text.ts";
import { splitsPair } from "../transcript/cut-text.ts";
import type { Phrase } from "./query.ts";
import { type Token, tokensIn } from "./tokens.ts";

/** Where a searched word stands in an excerpt: its first character, and the one behind its last. */
export type Mark = readonly [from: number, to: number];

export interface Excerpt {
  readonly text: string;
  readonly marks: readonly Mark[];
}

interface Found {
  readonly phrase: number;
  readonly from: number;
  readonly to: number;
}

const LENGTH = 160;
/** Shown before the first word that was found. */
const BEFORE = 40;
/** Escape sequences are taken out of so much on either side, and not out of all of a long text. */
const AROUND = 2000;
/** More places than this, and places further from the first, are not compared. */
const MOST_FOUND = 200;
const FARTHEST = 20_000;

/** The stretch of a text that has most of the phrases, on one line and without escape sequences, its words marked. */
export function excerptOf(text: string, phrases: readonly Phrase[]): Excerpt {
  const around = Math.max(0, bestPlace(text, phrases) - AROUND);
  const plain = plainText(text.slice(around, around + AROUND + AROUND));
  const from = characterAt(plain, bestPlace(plain, phrases) - BEFORE);
  const to = characterAt(plain, from + LENGTH);
  const line = plain.slice(from, to).replace(/\s+/g, " ").trim();
  const isCut = to < plain.length || around + AROUND + AROUND < text.length;
  const shown = `${around + from > 0 ? "…" : ""}${line}${isCut ? "…" : ""}`;
  return { text: shown, marks: marksIn(shown, phrases) };
}

/** The first of the places that have the most phrases within the length of an excerpt. */
function bestPlace(text: string, phrases: readonly Phrase[]): number {
  const found: Found[] = [];
  for (const place of find(text, phrases, firstPlausible(text, phrases))) {
    found.push(place);
    const isFar = place.from > (found[0] as Found).from + FARTHEST;
    if (isFar || found.length === MOST_FOUND || countPhrases(found) === phrases.length) break;
  }
  const reach = LENGTH - BEFORE;
  const counts = found.map(({ from }) =>
    countPhrases(found.filter((other) => other.from >= from && other.to <= from + reach)),
  );
  return found[counts.indexOf(Math.max(...counts))]?.from ?? 0;
}

function countPhrases(found: readonly Found[]): number {
  return new Set(found.map(({ phrase }) => phrase)).size;
}

/** The word in which a plain look finds the first of them: most of a long text need not be taken apart. */
function firstPlausible(text: string, phrases: readonly Phrase[]): number {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return 0;
  const places = phrases.map(({ tokens }) => lower.indexOf(tokens[0] as string)).filter((at) => at >= 0);
  let at = Math.min(...(places.length > 0 ? places : [0]));
  while (at > 0 && /\S/.test(text.charAt(at - 1))) at--;
  return at;
}

function marksIn(text: string, phrases: readonly Phrase[]): Mark[] {
  const marks: Mark[] = [];
  for (const { from, to } of find(text, phrases)) {
    const last = marks.at(-1);
    if (last && from < last[1]) marks[marks.length - 1] = [last[0], Math.max(last[1], to)];
    else marks.push([from, to]);
  }
  return marks;
}

/** Every place of every phrase, in order of where it begins. */
function* find(text: string, phrases: readonly Phrase[], start = 0): Iterable<Found> {
  const longest = Math.max(...phrases.map(({ tokens }) => tokens.length));
  const ahead: Token[] = [];
  for (const token of tokensIn(text, start)) {
    ahead.push(token);
    if (ahead.length < longest) continue;
    yield* matchesAt(ahead, phrases);
    ahead.shift();
  }
  for (; ahead.length > 0; ahead.shift()) yield* matchesAt(ahead, phrases);
}

function* matchesAt(ahead: readonly Token[], phrases: readonly Phrase[]): Iterable<Found> {
  for (const [phrase, { tokens, isPrefix }] of phrases.entries()) {
    const isHere = tokens.every((token, index) => {
      const folded = ahead[index]?.folded;
      return isPrefix && index === tokens.length - 1 ? folded?.startsWith(token) : folded === token;
    });
    const last = ahead[tokens.length - 1];
    if (isHere && last) yield { phrase, from: ahead[0]?.from ?? 0, to: last.to };
  }
}

/** The place itself, or the one before it where it lies inside a character of two units. */
function characterAt(text: string, at: number): number {
  const within = Math.min(Math.max(0, at), text.length);
  return splitsPair(text, within) ? within - 1 : within;
}
