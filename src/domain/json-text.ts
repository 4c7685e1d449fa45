/** Where a value stands in a text of valid JSON, with its members or items if it has any. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

export interface Part {
  /** The key of a member of an object; items of an array have none. */
  readonly key?: string;
  /** Where the part begins: at the key of a member. */
  readonly start: number;
  readonly value: Place;
}

export function placeOf(text: string, from = 0): Place {
  const start = from + lengthOf(/\s*/y, text, from);
  if (text[start] === "{") return containerAt(text, start, true);
  if (text[start] === "[") return containerAt(text, start, false);
  return { start, end: start + lengthOf(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,\]}]+/y, text, start), parts: [] };
}

/** The member of that name; of several, the one that a parser takes. */
export function memberOf(object: Place | undefined, key: string): Place | undefined {
  return object?.parts.findLast((part) => part.key === key)?.value;
}

/**
 * One more part at the end of a container, laid out like what is there. Every other byte stays: files of others keep
 * their layout, the order of their keys, and numbers that no parser here could hold.
 */
export function append(text: string, container: Place, value: unknown, key?: string): string {
  const { unit, eol } = layoutOf(text);
  const last = container.parts.at(-1);
  const lead = last && leadOf(text, container, last);
  const isPretty = unit !== "" && lead?.includes("\n") !== false;
  const outer = indentAt(text, container.start);
  const indent = lead?.includes("\n") ? lead.slice(lead.lastIndexOf("\n") + 1) : outer + unit;
  const written = isPretty
    ? JSON.stringify(value, null, unit).replaceAll("\n", eol + indent)
    : JSON.stringify(value);
  const part = key === undefined ? written : `${JSON.stringify(key)}:${isPretty ? " " : ""}${written}`;
  if (last) return splice(text, last.value.end, last.value.end, `,${lead}${part}`);
  const inner = isPretty ? `${eol}${indent}${part}${eol}${outer}` : part;
  return splice(text, container.start + 1, container.end - 1, inner);
}

/** Without one part of a container; takes back what `append` did to a container with other parts. */
export function takeOut(text: string, { start, end, parts }: Place, part: Part): string {
  const index = parts.indexOf(part);
  const before = parts[index - 1];
  const after = parts[index + 1];
  if (before) return splice(text, before.value.end, part.value.end, "");
  return after ? splice(text, part.start, after.start, "") : splice(text, start + 1, end - 1, "");
}

function containerAt(text: string, start: number, isObject: boolean): Place {
  const parts: Part[] = [];
  for (let at = start + 1; ; at++) {
    at += lengthOf(/\s*/y, text, at);
    if (text[at] === "}" || text[at] === "]") return { start, end: at + 1, parts };
    const part = isObject ? memberAt(text, at) : { start: at, value: placeOf(text, at) };
    parts.push(part);
    at = part.value.end + lengthOf(/\s*/y, text, part.value.end);
    if (text[at] !== ",") return { start, end: at + 1, parts };
  }
}

function memberAt(text: string, start: number): Part {
  const { end } = placeOf(text, start);
  const value = placeOf(text, end + lengthOf(/\s*:/y, text, end));
  return { key: JSON.parse(text.slice(start, end)) as string, start, value };
}

/** The space between a part and the bracket or comma before it. */
function leadOf(text: string, { start, parts }: Place, part: Part): string {
  const before = parts[parts.indexOf(part) - 1];
  return text.slice(before?.value.end ?? start + 1, part.start).replace(",", "");
}

/** How the whole text is laid out; with no unit it stands on one line. */
function layoutOf(text: string): { readonly unit: string; readonly eol: string } {
  const root = placeOf(text);
  const first = root.parts[0];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (!first) return { unit: "  ", eol };
  return { unit: /\n([ \t]*)$/.exec(leadOf(text, root, first))?.[1] ?? "", eol };
}

function indentAt(text: string, at: number): string {
  const line = text.lastIndexOf("\n", at) + 1;
  return text.slice(line, line + lengthOf(/[ \t]*/y, text, line));
}

function splice(text: string, from: number, to: number, put: string): string {
  return text.slice(0, from) + put + text.slice(to);
}

/** How much of the text from there on a sticky pattern takes. */
function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
