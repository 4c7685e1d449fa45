import { plainText } from "../../../domain/plain-text.ts";
import { INTERRUPTED, type NewEntry } from "../../../domain/transcript/entry.ts";

/** Marks of texts in a person's line that are no prompts. */
const COMMAND = /^<command-name>(.*?)<\/command-name>/su;
const ARGUMENTS = /<command-args>(.*?)<\/command-args>/su;
const SHELL = /^<bash-input>(.*)<\/bash-input>$/su;
const PRINTS = /^<(?:bash|local-command)-std(?:out|err)>/u;
const PRINTED = /<((?:bash|local-command)-std(?:out|err))>(.*?)<\/\1>/gsu;
const TASK = /^<task-notification>.*<summary>(.*?)<\/summary>/su;
const INTERRUPTION = /^\[(Request interrupted by user[^\]]*)\]$/u;

/** Context that an editor puts before a prompt, or sends alone. */
const EDITOR = /^(?:<(ide_[a-z_]+)>.*?<\/\1>\s*)+/su;

/** Whether a text is one for the model, and not an order to Claude Code itself, or a note of something else. */
export function isPromptText(text: string): boolean {
  return !COMMAND.test(text) && !SHELL.test(text) && userEntries(text).some(({ role }) => role === "user");
}

/** The text of a person as it was typed; output and notes of Claude Code in between are notices. */
export function userEntries(text: string): NewEntry[] {
  const command = COMMAND.exec(text)?.[1];
  if (command !== undefined) return userEntry(`${command} ${ARGUMENTS.exec(text)?.[1] ?? ""}`.trim());
  const shell = SHELL.exec(text)?.[1];
  if (shell !== undefined) return userEntry(`!${shell}`);
  if (PRINTS.test(text)) return noticeEntry(printedText(text));
  const interruption = INTERRUPTION.exec(text)?.[1];
  if (interruption !== undefined) return noticeEntry(interruption, { name: INTERRUPTED });
  const summary = TASK.exec(text)?.[1];
  return summary === undefined ? userEntry(text.replace(EDITOR, "")) : noticeEntry(summary);
}

function printedText(text: string): string {
  const pieces = [...text.matchAll(PRINTED)].map(([, , output = ""]) => plainText(output).trim());
  return pieces.filter((piece) => piece !== "").join("\n");
}

function userEntry(text: string): NewEntry[] {
  return text.trim() === "" ? [] : [{ role: "user", kind: "text", text, tool: null }];
}

function noticeEntry(text: string, more: Pick<NewEntry, "name"> = {}): NewEntry[] {
  return text === "" ? [] : [{ role: "system", kind: "notice", text, tool: null, ...more }];
}
