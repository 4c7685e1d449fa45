import type { Asked } from "../../../domain/supervise/signal.ts";
import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";
import { requestSignal } from "../signals.ts";

/** The tools that its dialogs show by another name. */
const TOOLS: Readonly<Record<string, string>> = {
  Shell: "run_shell_command",
  WriteFile: "write_file",
  Edit: "replace",
  ReadFile: "read_file",
  WebFetch: "web_fetch",
  GoogleSearch: "google_web_search",
};

const HEAD = /^│ \? (\S+) {2}(.*?) *│$/;
const FIRST_CHOICE = /^│ . 1\. /;
const BODY = /^│ │ (.*?) *│ │$/;
const QUESTION = /^│ ((?:Allow|Apply|Do you want).*\?) *│$/;

const QUEUED = /^ {2}Queued \(press ↑ to edit\):$/;
const QUEUED_TEXT = /^ {4}(\S.*)$/;

/**
 * Facts that only the screen shows: what is asked, for the title says no more than that a person is needed; and the
 * texts that wait for the end of the running turn.
 */
export function parseShown(screen: string): Parsed<GeminiMemory> {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  const taken = queuedTexts(lines);
  const asked = requestIn(lines) ?? questionIn(lines);
  const rule = `${asked?.for ?? "permission"}_dialog`;
  const signal = asked && requestSignal({ source: "screen", rule }, asked);
  return {
    ...(signal ? { signal: { ...signal, fillsGap: true } } : {}),
    ...(taken.length === 0 ? {} : { taken }),
  };
}

/** Each in one line, and cut where the line ends. */
function queuedTexts(lines: readonly string[]): string[] {
  const start = lines.findLastIndex((line) => QUEUED.test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !QUEUED_TEXT.test(line));
  return rest.slice(0, Math.max(0, end)).flatMap((line) => QUEUED_TEXT.exec(line)?.[1] ?? []);
}

/** The lowest dialog, and only with its choices. */
function requestIn(lines: readonly string[]): Partial<Asked> | undefined {
  const start = lines.findLastIndex((line) => HEAD.test(line));
  const end = lines.findIndex((line, index) => index > start && FIRST_CHOICE.test(line));
  return start < 0 || end < 0 ? undefined : askedIn(lines.slice(start, end));
}

function askedIn(lines: readonly string[]): Partial<Asked> {
  const [, name = "", head = ""] = HEAD.exec(lines[0] as string) ?? [];
  const question = lines.flatMap((line) => QUESTION.exec(line)?.[1] ?? []).at(-1) ?? null;
  const tool = TOOLS[name] ?? name;
  const body = lines.flatMap((line) => BODY.exec(line)?.[1] ?? []).join("\n");
  if (tool === "run_shell_command") return { tool, input: { command: body || head }, question };
  return { tool, input: { description: head }, question };
}

const QUESTIONS = /^│ Answer Questions *│$/;
const LINE = /^│ (.*?) *│$/;
const CHOICE = /^│ . \d+\. {2}(\S.*?) *│$/;
const OWN_WORDS = "Enter a custom value";

/** One question with choices, of which the last is to type something. */
function questionIn(lines: readonly string[]): Partial<Asked> | undefined {
  const start = lines.findLastIndex((line) => QUESTIONS.test(line));
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const first = rest.findIndex((line) => CHOICE.test(line));
  if (first < 0) return undefined;
  const question = rest
    .slice(0, first)
    .flatMap((line) => LINE.exec(line)?.[1]?.trim() || [])
    .join(" ");
  const choices = rest.flatMap((line) => CHOICE.exec(line)?.[1] ?? []);
  const options = choices.filter((choice) => choice !== OWN_WORDS);
  return { for: "question", tool: "ask_user", question, options };
}
