/** Most of an escape sequence that is kept in one piece; nothing but data pasted by a program is longer. */
const LONGEST_ESCAPE = 4096;

const ESCAPE_AT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it finds.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P^_X][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|[ -/]*[0-~])/y;

/** A stretch of a text, and how many bytes of JSON it may take. */
export interface Stretch {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** The text is JSON itself: its escapes count instead of a terminal's. */
  readonly isJson: boolean;
}

/**
 * Where to end so that the beginning of the stretch fits: never inside a character, nor inside an escape sequence that
 * can be kept whole. At least one character is taken.
 */
export function endThatFits({ text, from, to, bytes, isJson }: Stretch): number {
  let [low, high] = [from, Math.min(to, from + bytes)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(text.slice(from, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  const end = splitsPair(text, low) ? low - 1 : low;
  const around = isJson ? jsonEscapeAround : escapeAround;
  const safe = outside((at) => around(text, at)?.start, end);
  if (safe > from) return safe;
  return end > from ? end : Math.min(to, from + (splitsPair(text, from + 1) ? 2 : 1));
}

/** Where to begin so that the end of the stretch fits, by the same rules. */
export function startThatFits({ text, from, to, bytes, isJson }: Stretch): number {
  let [low, high] = [Math.max(from, to - bytes), to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (jsonBytes(text.slice(middle, to)) <= bytes) high = middle;
    else low = middle + 1;
  }
  const start = splitsPair(text, high) ? high + 1 : high;
  const around = isJson ? jsonEscapeAround : escapeAround;
  const safe = outside((at) => around(text, at)?.end, start);
  if (safe < to) return safe;
  return start < to ? start : Math.max(from, to - (splitsPair(text, to - 1) ? 2 : 1));
}

/** Whether a place lies inside a character of two units. */
export function splitsPair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
}

/** How many bytes a text takes inside a JSON string. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Moves a place until it lies inside of nothing. */
function outside(move: (at: number) => number | undefined, at: number): number {
  let place = at;
  for (let next = move(place); next !== undefined; next = move(place)) place = next;
  return place;
}

/** The terminal's escape sequence that a place lies inside of. */
function escapeAround(text: string, at: number): Range | undefined {
  const first = Math.max(0, at - LONGEST_ESCAPE);
  for (let start = at - 1; start >= first; start--) {
    start = text.lastIndexOf("\u001b", start);
    if (start < first) return undefined;
    ESCAPE_AT.lastIndex = start;
    const length = ESCAPE_AT.exec(text)?.[0].length ?? 1;
    if (start + length > at) return { start, end: start + length };
  }
  return undefined;
}

/** A backslash begins one where an even number of them stands before it. */
function jsonEscapeAround(text: string, at: number): Range | undefined {
  for (let start = at - 1; start >= Math.max(0, at - 5); start--) {
    if (text[start] !== "\\") continue;
    let before = start;
    while (text[before - 1] === "\\") before -= 1;
    if ((start - before) % 2 === 1) continue;
    const end = Math.min(start + (text[start + 1] === "u" ? 6 : 2), text.length);
    return end > at ? { start, end } : undefined;
  }
  return undefined;
}
