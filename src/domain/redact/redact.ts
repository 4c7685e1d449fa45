import {
  type ExactValues,
  exactValues,
  MIN_LENGTH,
  openValue,
  replaceValues,
  type Secrets,
} from "./exact-values.ts";
import { findShapes, openShape } from "./find-shapes.ts";
import { type FoundSecret, HIDDEN_SHAPE, HIDDEN_VALUE } from "./secret-shapes.ts";

export interface Redactor {
  /** The text with every known secret replaced by `[REDACTED:kind]`; ANSI escapes inside a secret do not hide it. */
  text(text: string): string;
  /** The same for every string inside a JSON-like value, object keys included; returns the same reference when nothing changed. */
  value<T>(value: T): T;
  /** The secrets of a text, in order, none overlapping. */
  find(text: string): readonly FoundSecret[];
  /** Where a secret or an escape sequence may begin that the end of the text breaks off, or the length of the text. */
  open(text: string): number;
}

export function createRedactor(secrets: Secrets): Redactor {
  const values = exactValues(secrets);
  const findPlain = (text: string): readonly FoundSecret[] => findIn(text, values);
  const redactor: Redactor = {
    text: (text) =>
      text.length < SHORTEST_TEXT ? text : replaceSecrets(text, redactor.find(text), redactor.find),
    value: (value) => redactValue(value, redactor.text, 0),
    find: (text) => (hasEscape(text) ? findAmongEscapes(text, findPlain) : findPlain(text)),
    open: (text) => openIn(text, values),
  };
  return redactor;
}

/** Hides values and their long beginnings only: for what was redacted already, before these were known to be secret. */
export function createHider(secrets: Secrets): (text: string) => string {
  const values = exactValues(secrets);
  return (text) => {
    const known = values();
    return known === undefined ? text : replaceValues(text, known, () => "[REDACTED:value]");
  };
}

/** Puts `[REDACTED:kind]` for each secret; the escapes inside it follow, so that the terminal's state stays right. */
export function replaceSecrets(text: string, found: readonly FoundSecret[], find: Redactor["find"]): string {
  if (found.length === 0) return text;
  let result = "";
  let done = 0;
  for (const { start, end, kind } of found) {
    const escapes = text.slice(start, end).match(ESCAPE) ?? [];
    result += `${text.slice(done, start)}[REDACTED:${kind}]`;
    for (const inside of escapes) result += replaceSecrets(inside, find(inside), find);
    done = end;
  }
  return result + text.slice(done);
}

/** `://:x@` is the shortest text that holds a secret. */
const SHORTEST_TEXT = 6;
const MAX_DEPTH = 200;
const MARKER = /\[REDACTED:([a-z-]{1,30})\]/g;

function findIn(text: string, values: () => ExactValues | undefined): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const rest = hideValues(text, values(), found);
  return merge(found, findShapes(rest));
}

function hideValues(text: string, values: ExactValues | undefined, found: FoundSecret[]): string {
  const unmarked = text.includes("[REDACTED:") ? hideMarkers(text) : text;
  if (values === undefined) return unmarked;
  return replaceValues(unmarked, values, (start, end) => {
    found.push({ start, end, kind: "value" });
    return HIDDEN_VALUE.repeat(end - start);
  });
}

function hideMarkers(text: string): string {
  return text.replace(MARKER, (marker, kind) =>
    (kind === "value" ? HIDDEN_VALUE : HIDDEN_SHAPE).repeat(marker.length),
  );
}

function merge(first: readonly FoundSecret[], second: readonly FoundSecret[]): readonly FoundSecret[] {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const merged: FoundSecret[] = [];
  for (const secret of [...first, ...second].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) merged.push(secret);
    else if (secret.end > last.end) merged[merged.length - 1] = { ...last, end: secret.end };
  }
  return merged;
}

const CSI = "[0-?]{0,64}[ -/]{0,8}";
const STRING = "(?:\\][^\\x07\\x1b\\x9c]{0,4096}|[PX^_][^\\x1b\\x9c]{0,4096})";
const ESCAPE = new RegExp(
  `\\x1b(?:\\[${CSI}[@-~]|${STRING}(?:\\x07|\\x1b\\\\|\\x9c)|[ -/]{1,4}[0-~]|[0-~])|\\x9b${CSI}[@-~]|[\\x1b\\x9b]`,
  "g",
);
const OPEN_ESCAPE = new RegExp(`(?:\\x1b(?:\\[${CSI}|${STRING}\\x1b?|[ -/]{0,4})|\\x9b${CSI})$`);

function hasEscape(text: string): boolean {
  return text.includes("\x1b") || text.includes("\x9b");
}

/** Escapes may color the middle of a secret, or stand for the space before it: looks at the text both ways. */
function findAmongEscapes(text: string, find: Redactor["find"]): readonly FoundSecret[] {
  const escapes = escapesOf(text);
  const joined = findInView(viewWithout(text, escapes, ""), find);
  const spaced = findInView(viewWithout(text, escapes, " "), find);
  return merge(merge(joined, spaced), findInsideEscapes(text, escapes, find));
}

function findInView(view: View, find: Redactor["find"]): readonly FoundSecret[] {
  return find(view.text).map(({ start, end, kind }) => ({
    start: view.original(start),
    end: view.original(end - 1) + 1,
    kind,
  }));
}

/** Titles and links are written inside escapes. */
function findInsideEscapes(text: string, { starts, ends }: Escapes, find: Redactor["find"]): FoundSecret[] {
  return starts.flatMap((start, index) => {
    const end = ends[index] as number;
    if (end - start <= MIN_LENGTH) return [];
    return find(text.slice(start, end)).map((secret) => ({
      ...secret,
      start: secret.start + start,
      end: secret.end + start,
    }));
  });
}

interface Escapes {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Escapes that follow each other count as one. */
function escapesOf(text: string): Escapes {
  const starts: number[] = [];
  const ends: number[] = [];
  ESCAPE.lastIndex = 0;
  for (let match = ESCAPE.exec(text); match !== null; match = ESCAPE.exec(text)) {
    if (match.index === ends.at(-1)) ends.pop();
    else starts.push(match.index);
    ends.push(ESCAPE.lastIndex);
  }
  return { starts, ends };
}

interface View {
  readonly text: string;
  /** The place in the original of a place in the view. */
  original(index: number): number;
}

function viewWithout(text: string, escapes: Escapes, gap: string): View {
  let stripped = "";
  let done = 0;
  const offsets = escapes.starts.map((start, index) => {
    stripped += text.slice(done, start) + gap;
    done = escapes.ends[index] as number;
    return stripped.length;
  });
  return { text: stripped + text.slice(done), original: (index) => lookUp(offsets, escapes.ends, index) };
}

/** After the last escape that ends at or before the place. */
function lookUp(offsets: readonly number[], ends: readonly number[], index: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) <= index) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? index : (ends[low - 1] as number) + index - (offsets[low - 1] as number);
}

function openIn(text: string, values: () => ExactValues | undefined): number {
  if (!hasEscape(text)) return openPlain(text, values);
  const end = OPEN_ESCAPE.exec(text)?.index ?? text.length;
  const whole = text.slice(0, end);
  const escapes = escapesOf(whole);
  const opens = ["", " "].map((gap) => {
    const view = viewWithout(whole, escapes, gap);
    const open = openPlain(view.text, values);
    return open === view.text.length ? end : view.original(open);
  });
  return Math.min(...opens);
}

function openPlain(text: string, values: () => ExactValues | undefined): number {
  const value = openValue(text, values()?.forms ?? []);
  const shape = openShape(hideValues(text, values(), []));
  // The introduction of a value may end there, once the value is whole and hidden.
  const before = value < text.length ? openShape(hideValues(text.slice(0, value), values(), [])) : value;
  return Math.min(value, shape, before);
}

function redactValue<T>(value: T, redact: (text: string) => string, depth: number): T {
  if (typeof value === "string") return redact(value) as T;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  // Nothing we record is this deep, and what writes it out would overflow the stack.
  if (depth >= MAX_DEPTH) return "[REDACTED:depth]" as T;
  if (Array.isArray(value)) return redactArray(value, redact, depth) as T;
  return redactObject(value as Record<string, unknown>, redact, depth) as T;
}

function redactArray(
  array: readonly unknown[],
  redact: (text: string) => string,
  depth: number,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < array.length; index++) {
    const redacted = redactValue(array[index], redact, depth + 1);
    if (Object.is(redacted, array[index])) continue;
    copy ??= [...array];
    copy[index] = redacted;
  }
  return copy ?? array;
}

function redactObject(
  object: Record<string, unknown>,
  redact: (text: string) => string,
  depth: number,
): object {
  const keys = Object.keys(object);
  let entries: [string, unknown][] | undefined;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const name = redact(key);
    const redacted = redactValue(object[key], redact, depth + 1);
    if (entries === undefined && name === key && Object.is(redacted, object[key])) continue;
    entries ??= keys.slice(0, index).map((unchanged) => [unchanged, object[unchanged]]);
    entries.push([name, redacted]);
  }
  // `fromEntries` defines its keys, so that a key named `__proto__` stays a key.
  return entries === undefined ? object : Object.fromEntries(entries);
}
