import { isJsonObject, type Json } from "../json.ts";
import { plainText } from "../plain-text.ts";
import type { Instant } from "../time.ts";
import type { NewEntry } from "../transcript/entry.ts";

/** The last sign of work in one line: a tool call, a sentence, or a line of output. */
export interface Activity {
  readonly text: string;
  /** The tool that was called; null for words and output. */
  readonly tool: string | null;
  readonly at: Instant;
}

const LONGEST = 200;
/** Enough of the end of an output to hold its last line. */
const TAIL = 4096;

/** The activity after an entry of the transcript. A result keeps the call that it answers, and only moves its time. */
export function activityAfter(before: Activity | null, entry: NewEntry, at: Instant): Activity | null {
  if (entry.kind === "tool_result") return before && { ...before, at };
  if (entry.kind === "tool_call" && entry.tool) {
    const { name, params } = entry.tool;
    return { text: callLine(name, params), tool: name, at };
  }
  const isSpoken = entry.role === "assistant" && (entry.kind === "text" || entry.kind === "thinking");
  const text = isSpoken ? lastLine(entry.text ?? "") : undefined;
  return text === undefined ? before : { text, tool: null, at };
}

/** A tool call in one line: its name, and what says by itself what it is about. */
export function callLine(name: string, params: Json | undefined): string {
  return oneLine(`${name} ${argumentOf(params)}`);
}

/** The last line of a terminal's or pipe's output that says something; a line that was written over counts as it stands. */
export function lastLine(output: string): string | undefined {
  const lines = plainText(output.slice(-TAIL)).split("\n");
  const shown = lines.map((line) => line.split("\r").findLast((part) => part.trim() !== "") ?? "");
  const last = shown.findLast((line) => line.trim() !== "");
  return last === undefined ? undefined : oneLine(last);
}

/** At most so many characters of a text, without line ends. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, LONGEST * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= LONGEST ? line : `${[...line].slice(0, LONGEST - 1).join("")}…`;
}

/** Parameters that say by themselves what a call is about, in the words of the agents. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "path",
  "file",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
];

function argumentOf(params: Json | undefined): string {
  if (typeof params === "string") return params;
  if (!isJsonObject(params)) return "";
  const telling = TELLING.map((name) => textOf(params[name])).find((text) => text !== undefined);
  return telling ?? (Object.keys(params).length === 0 ? "" : JSON.stringify(params));
}

/** Codex gives the words of a command one by one. */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : undefined;
}
