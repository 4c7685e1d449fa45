import type { Key } from "../full-screen/keys.ts";

/** A line that a person writes, with the cursor between two characters. */
export interface Line {
  readonly before: string;
  readonly after: string;
}

export const EMPTY_LINE: Line = { before: "", after: "" };

/** The line after a key that edits it; other keys leave it as it is. */
export function edit(line: Line, key: Key): Line {
  const { before, after } = line;
  if (typeof key === "object") return { before: before + ("text" in key ? key.text : key.pasted), after };
  switch (key) {
    case "backspace":
      return { before: [...before].slice(0, -1).join(""), after };
    case "clear":
      return EMPTY_LINE;
    case "left":
      return { before: [...before].slice(0, -1).join(""), after: ([...before].at(-1) ?? "") + after };
    case "right":
      return { before: before + ([...after][0] ?? ""), after: [...after].slice(1).join("") };
    case "first":
      return { before: "", after: before + after };
    case "last":
      return { before: before + after, after: "" };
    default:
      return line;
  }
}

export function textOf({ before, after }: Line): string {
  return before + after;
}
