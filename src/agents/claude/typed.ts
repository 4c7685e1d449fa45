import { plainText } from "../../domain/plain-text.ts";
import { INTERRUPTED, type NewEntry } from "../../domain/transcript/entry.ts";

/** How it marks what is no prompt in the text of a person's line. */
const COMMAND = /^<command-name>(.*?)<\/command-name>/su;
const ARGUMENTS = /<command-args>(.*?)<\/command-args>/su;
const SHELL = /^<bash-input>(.*)<\/bash-input>$/su;
const PRINTS = /^<(?:bash|local-command)-std(?:out|err)>/u;
const PRINTED = /<((?:bash|local-command)-std(?:out|err))>(.*?)<\/\1>/gsu;
const TASK = /^<task-notification>.*<summary>(.*?)<\/summary>/su;
const INTERRUPTION = /^\[(Request interrupted by user[^\]]*)\]$/u;

/** What a person typed, as it was typed, and what it printed or noted in between as a notice. */
export function typedIn(text: string): NewEntry[] {
  const command = COMMAND.exec(text)?.[1];
  if (command !== undefined) return person(`${command} ${ARGUMENTS.exec(text)?.[1] ?? ""}`.trim());
  const shell = SHELL.exec(text)?.[1];
  if (shell !== undefined) return person(`!${shell}`);
  if (PRINTS.test(text)) return notice(printedIn(text));
  const interruption = INTERRUPTION.exec(text)?.[1];
  if (interruption !== undefined) return notice(interruption, { name: INTERRUPTED });
  const summary = TASK.exec(text)?.[1];
  return summary === undefined ? person(text) : notice(summary);
}

function printedIn(text: string): string {
  const pieces = [...text.matchAll(PRINTED)].map(([, , output = ""]) => plainText(output).trim());
  return pieces.filter((piece) => piece !== "").join("\n");
}

function person(text: string): NewEntry[] {
  return text.trim() === "" ? [] : [{ role: "user", kind: "text", text, tool: null }];
}

function notice(text: string, more: Pick<NewEntry, "name"> = {}): NewEntry[] {
  return text === "" ? [] : [{ role: "system", kind: "notice", text, tool: null, ...more }];
}
