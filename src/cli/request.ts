import type { SessionRecord } from "../domain/session.ts";
import { shortId } from "./format.ts";

/** What a session asks, in a person's words. */
export function questionOf({ waiting }: SessionRecord): string {
  if (waiting === null) return "";
  if (waiting.tool === null) return waiting.question ?? `waits at its ${waiting.for}`;
  const call = waiting.input === null ? waiting.tool : `${waiting.tool} ${JSON.stringify(waiting.input)}`;
  return waiting.question === null ? call : `${waiting.question} ${call}`;
}

/** The choices of a question with the numbers that choose them. */
export function optionsOf({ waiting }: SessionRecord): readonly string[] {
  return (waiting?.options ?? []).map((option, index) => `${index + 1}) ${option}`);
}

/** Stands for a session on the command line without quotes, whatever the shell. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}._@:+-]*$/u;
const LONGEST_NAME = 40;

/** How to call a session: by its name where that is plain, and meant by nobody else in `others`. */
export function nameToCall({ id, name }: SessionRecord, others: readonly SessionRecord[] = []): string {
  const isPlain =
    name !== null && name.length <= LONGEST_NAME && PLAIN.test(name) && !/^[0-9a-f]{6}$/.test(name);
  const isShared = others.some((other) => other.id !== id && (other.name === name || other.id === name));
  return isPlain && !isShared ? name : shortId(id);
}

/** The commands that answer it, any one of them; none for a session that Rollcall does not carry. */
export function answerCommands(session: SessionRecord, who: string = nameToCall(session)): readonly string[] {
  const { waiting, origin } = session;
  if (waiting === null || origin !== "started") return [];
  switch (waiting.for) {
    case "permission":
    case "trust":
      return [`rollcall approve ${who}`, `rollcall deny ${who}`];
    case "question":
      return [`rollcall answer ${who} ${choicesOf(session)}`];
    case "prompt":
      return [`rollcall send ${who} TEXT`];
    case "dialog":
      return waiting.options?.length
        ? [`rollcall answer ${who} ${choicesOf(session)}`, `rollcall attach ${who}`]
        : [`rollcall attach ${who}`];
    case "login":
    case "limit":
      return [`rollcall attach ${who}`];
  }
}

/** The same in one line. */
export function answerCommand(session: SessionRecord): string {
  return answerCommands(session).join(" or ");
}

function choicesOf({ waiting }: SessionRecord): string {
  const count = waiting?.options?.length ?? 0;
  return count === 0 ? "TEXT" : count === 1 ? "1" : `1-${count}`;
}
