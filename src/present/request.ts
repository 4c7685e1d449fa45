import { isJsonObject, type Json } from "../domain/json.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { shortId } from "./format.ts";
import { canAttach } from "./roll-order.ts";

/** One of several questions that an agent asks at once. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
  /** More than one of them may be chosen. */
  readonly isMultiple: boolean;
}

/** The question that a session asks, in a person's words. */
export function questionOf({ waiting }: SessionRecord): string {
  if (waiting === null) return "";
  if (waiting.tool === null) return waiting.question ?? `waits at its ${waiting.for}`;
  const call = waiting.input === null ? waiting.tool : `${waiting.tool} ${JSON.stringify(waiting.input)}`;
  return waiting.question === null ? call : `${waiting.question} ${call}`;
}

/** The choices of a question with the numbers that choose them. */
export function optionsOf({ waiting }: SessionRecord): readonly string[] {
  return numbered(waiting?.options ?? []);
}

export function numbered(options: readonly string[]): readonly string[] {
  return options.map((option, index) => `${index + 1}) ${option}`);
}

/** The questions of a session that asks several at once, each with its own choices; none of one that asks a single one. */
export function questionsOf(session: SessionRecord): readonly Question[] {
  const questions = readQuestions(session);
  return questions.length > 1 ? questions : [];
}

/** Whether a session asks one question of which more than one choice may be taken. */
export function asksForSeveral(session: SessionRecord): boolean {
  const [question, ...others] = readQuestions(session);
  return others.length === 0 && question?.isMultiple === true;
}

function readQuestions({ waiting }: SessionRecord): readonly Question[] {
  const asked = waiting?.for === "question" ? waiting.input?.questions : undefined;
  return Array.isArray(asked) ? asked.flatMap(readQuestion) : [];
}

function readQuestion(value: Json): Question[] {
  if (!isJsonObject(value) || typeof value.question !== "string") return [];
  const options = Array.isArray(value.options) ? value.options : [];
  const labels = options.map((option) => (isJsonObject(option) ? option.label : option));
  const isMultiple = value.multiSelect === true;
  return [
    { question: value.question, options: labels.filter((label) => typeof label === "string"), isMultiple },
  ];
}

/** Stands for a session on the command line without quotes, whatever the shell. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}._@:+-]*$/u;
const LONGEST_NAME = 40;

type Named = Pick<SessionRecord, "id" | "name">;

/** How to call a session: by its name where that is plain, and meant by nobody else in `others`. */
export function nameToCall({ id, name }: Named, others: readonly Named[] = []): string {
  const isPlain =
    name !== null && name.length <= LONGEST_NAME && PLAIN.test(name) && !/^[0-9a-f]{6}$/.test(name);
  const isShared = others.some((other) => other.id !== id && (other.name === name || other.id === name));
  return isPlain && !isShared ? name : shortId(id);
}

/** The commands that answer it, any one of them; none for a session that Rollcall does not carry. */
export function answerCommands(session: SessionRecord, who: string = nameToCall(session)): readonly string[] {
  const { waiting, origin } = session;
  if (origin !== "started") return [];
  if (session.state === "paused") return [`rollcall continue ${who}`];
  if (waiting === null) return [];
  const atTerminal = canAttach(session) ? `rollcall attach ${who}` : `rollcall end ${who}`;
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
        ? [`rollcall answer ${who} ${choicesOf(session)}`, atTerminal]
        : [atTerminal];
    case "login":
    case "limit":
      return [atTerminal];
  }
}

/** The same in one line. */
export function answerCommand(session: SessionRecord): string {
  return answerCommands(session).join(" or ");
}

/** One word for each question. */
function choicesOf(session: SessionRecord): string {
  const options = session.waiting?.options ?? [];
  const single = { options, isMultiple: asksForSeveral(session) };
  const several = questionsOf(session);
  return (several.length > 0 ? several : [single]).map(choiceOf).join(" ");
}

function choiceOf({ options, isMultiple }: Pick<Question, "options" | "isMultiple">): string {
  const { length } = options;
  if (length === 0) return "TEXT";
  return length === 1 ? "1" : `1-${length}${isMultiple ? ",…" : ""}`;
}
