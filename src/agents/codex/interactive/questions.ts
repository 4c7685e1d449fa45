import { RollcallError } from "../../../domain/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Asked } from "../../../domain/supervise/signal.ts";
import type { Key, Keys } from "../../deed.ts";
import { type CodexMemory, openCalls } from "../memory.ts";
import { beginningPattern } from "./dialog-pattern.ts";

const QUESTION_TOOL = "request_user_input";
/** Its keys have one digit, and one of them is for none of the options. */
const MOST_OPTIONS = 8;

interface Question {
  readonly question: string;
  readonly labels: readonly string[];
}

/** The questions that it asks at once in its Plan mode, as far as the rollout has them. */
export function questionRequest(memory: CodexMemory): Partial<Asked> {
  const call = openCalls(memory).find(({ name }) => name === QUESTION_TOOL);
  const questions = questionsIn(call?.input ?? null);
  if (!call || questions.length === 0) return { for: "question" };
  const question = questions.map((one) => one.question).join("\n");
  const options = questions.length === 1 ? (questions[0]?.labels ?? null) : null;
  return { for: "question", input: call.input, question, options };
}

/** A digit answers one page and goes on to the next; behind the last one all are submitted. */
export function answerKeys({ input }: Waiting, choice: string): Keys | undefined {
  const questions = questionsIn(input);
  const hasKeys = questions.every(({ labels }) => labels.length > 0 && labels.length <= MOST_OPTIONS);
  if (questions.length === 0 || !hasKeys) return undefined;
  const choices = choice.split("\n");
  if (choices.length !== questions.length)
    throw new RollcallError("bad_input", `It asks ${questions.length} questions at once.`, {
      hint: `Give one answer for each: ${questions.map(({ question }) => question).join(" / ")}`,
    });
  const [first, ...more] = questions.map((question, index) => ({
    bytes: keyOf(question, (choices[index] ?? "").trim()),
    onScreen: pagePattern(question, index, questions.length),
  })) as [Key, ...Key[]];
  return { via: "keys", ...first, more };
}

function keyOf({ labels }: Question, word: string): string {
  const number = labels.includes(word) ? labels.indexOf(word) + 1 : /^\d+$/u.test(word) ? Number(word) : 0;
  if (number >= 1 && number <= labels.length) return String(number);
  throw new RollcallError("bad_input", `${JSON.stringify(word)} is not offered.`, {
    hint: `Valid: ${labels.join(", ")}; or a number from 1 to ${labels.length}. For anything else use \`rollcall attach\`.`,
  });
}

/** The page counts the open questions, which confirms the answers before. */
function pagePattern({ question }: Question, index: number, count: number): string {
  const title = `^  Question ${index + 1}/${count} \\(${count - index} unanswered\\)$`;
  return `${title}\\s*${beginningPattern(question)}[\\s\\S]*^  › 1\\. `;
}

function questionsIn(input: JsonObject | null): readonly Question[] {
  const questions = input?.questions;
  return Array.isArray(questions) ? questions.flatMap(questionOf) : [];
}

function questionOf(value: Json): Question[] {
  if (!isJsonObject(value) || typeof value.question !== "string") return [];
  const options = Array.isArray(value.options) ? value.options : [];
  const labels = options.flatMap((option) =>
    isJsonObject(option) && typeof option.label === "string" ? [option.label] : [],
  );
  return [{ question: value.question, labels }];
}
