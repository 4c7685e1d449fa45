import type { JsonObject } from "../../../domain/json.ts";
import type { Asked } from "../../../domain/supervise/signal.ts";
import type { Parsed } from "../../parsed.ts";
import { type Call, type CodexMemory, openCalls } from "../memory.ts";
import { requestSignal } from "../signals.ts";
import { questionRequest } from "./questions.ts";

const TITLE = /^ {1,4}((?:Would you like to|Do you want to) .*\?)$/;
const FIRST_OPTION = /^\s*(?:› )?1\. /;
const LAST_LINE = /^\s*Press enter to confirm or esc to cancel\s*$/;
const CUT = /^\s*\[… \d+ lines\]/;
/** At the end of a question that is not known in full. */
export const CUT_MARK = " …";

/**
 * Facts that only the screen shows: which of several permissions is asked for now, for there is one report for all of
 * them; and the texts that wait for the running turn to take them.
 */
export function parseShown(screen: string, memory: CodexMemory): Parsed<CodexMemory> {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  const dialog = findDialog(lines);
  const taken = queuedTexts(lines);
  const asked = dialog
    ? dialogRequest(dialog, memory)
    : isQuestionIn(lines)
      ? questionRequest(memory)
      : undefined;
  const rule = dialog ? "permission_dialog" : "question_dialog";
  return {
    ...(asked ? { signal: { ...requestSignal({ source: "screen", rule }, asked), fillsGap: true } } : {}),
    ...(taken.length === 0 ? {} : { taken }),
  };
}

const QUESTION = /^ {2}Question \d+\/\d+ \(\d+ unanswered\)$/;
const QUESTION_KEYS = /^ {2}tab to add notes \| enter to submit /;

function isQuestionIn(lines: readonly string[]): boolean {
  const isLast = QUESTION_KEYS.test(lines.findLast((line) => line !== "") ?? "");
  return isLast && lines.some((line) => QUESTION.test(line));
}

interface Dialog {
  readonly title: string;
  readonly body: readonly string[];
}

/** The lowest one, and only where its last line is there too: above it anything may stand, and may look like one. */
function findDialog(lines: readonly string[]): Dialog | undefined {
  const start = lines.findLastIndex((line) => TITLE.test(line));
  const end = lines.findIndex((line, index) => index > start && FIRST_OPTION.test(line));
  if (start < 0 || end < 0 || !LAST_LINE.test(lines.findLast((line) => line !== "") ?? "")) return undefined;
  const title = TITLE.exec(lines[start] as string)?.[1] as string;
  return { title, body: lines.slice(start + 1, end).map((line) => line.replace(/^ {2}/, "")) };
}

function dialogRequest({ title, body }: Dialog, memory: CodexMemory): Partial<Asked> {
  const reason = paragraph(body, "Reason: ");
  const question = reason === "" ? title : `${title} ${reason}`;
  if (title.includes("run the following command")) return commandRequest(body, question, memory);
  if (title.includes("make the following edits")) return editsRequest(body, question, memory);
  return { question: collapseBlanks([title, ...body].join(" ")) };
}

/** The command in full is in the rollout, with its reason; the dialog may have cut it, and wraps it where it likes. */
function commandRequest(body: readonly string[], question: string, memory: CodexMemory): Partial<Asked> {
  const start = body.findIndex((line) => line.startsWith("$ "));
  const drawn = start < 0 ? [] : body.slice(start).filter((line) => line !== "");
  const isCut = CUT.test(drawn.at(-1) ?? "");
  const command = (isCut ? drawn.slice(0, -1) : drawn).join("\n").slice(2);
  const call = openCalls(memory).find(({ input }) => isShown(command, input.cmd, isCut));
  if (call) return { tool: call.name, input: call.input };
  if (drawn.length === 1 && !isCut) return { tool: "exec_command", input: { cmd: command }, question };
  return { tool: "exec_command", question: `${question} ${collapseBlanks(command)}${isCut ? CUT_MARK : ""}` };
}

function isShown(drawn: string, command: unknown, isCut: boolean): boolean {
  if (typeof command !== "string" || drawn === "") return false;
  const [shownText, whole] = [withoutBlanks(drawn), withoutBlanks(command)];
  return isCut ? whole.startsWith(shownText) : whole === shownText;
}

function editsRequest(body: readonly string[], question: string, memory: CodexMemory): Partial<Asked> {
  const files = body.flatMap((line) => /^Destination: (.+)$/.exec(line)?.[1] ?? []);
  const call = openCalls(memory).find((one) => isPatchOf(one, files));
  return call
    ? { tool: "apply_patch", input: call.input }
    : { tool: "apply_patch", input: { files }, question };
}

function isPatchOf({ input }: Call, files: readonly string[]): boolean {
  const named = pathsIn(input);
  return named.length > 0 && named.length === files.length && named.every((path) => isAmong(files, path));
}

function isAmong(files: readonly string[], path: string): boolean {
  return files.some((file) => file === path || file.endsWith(`/${path}`));
}

/** The files that a patch is for. */
export function pathsIn({ patch }: JsonObject): string[] {
  if (typeof patch !== "string") return [];
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(
    (match) => match[1] as string,
  );
}

/** A text that was typed in mid-turn stands above the prompt box until the turn takes it. */
function queuedTexts(lines: readonly string[]): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const first = /^ {2}↳ (.*)$/.exec(line)?.[1];
    if (first !== undefined) texts.push(first);
    else if (/^ {4}\S/.test(line) && texts.length > 0) texts.push(`${texts.pop()}\n${line.trim()}`);
    else if (texts.length > 0) break;
  }
  return texts;
}

/** From the line that begins with the words to the next empty one. */
function paragraph(body: readonly string[], words: string): string {
  const start = body.findIndex((line) => line.startsWith(words));
  if (start < 0) return "";
  const end = body.indexOf("", start);
  return collapseBlanks(body.slice(start, end < 0 ? undefined : end).join(" ")).slice(words.length);
}

function collapseBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, "");
}
