import { RollcallError } from "../../domain/errors.ts";
import type { Waiting } from "../../domain/session.ts";
import type { Keystrokes } from "../agent.ts";
import { type Question, questionsIn } from "./asked.ts";
import { pasted, shown } from "./dialogs.ts";

const RIGHT = "\u001b[C";
/** Its keys have one digit, and two of them are for other things than options. */
const MOST_OPTIONS = 7;

/** The words that stand for a choice, one for each question: options, or a text of the person's own. */
export type Chosen = readonly (readonly string[])[];

/** A number, a label or a free text for each question, one in a line; several of one question between commas. */
export function chosenIn(questions: readonly Question[], choice: string): Chosen {
  const lines = questions.length === 1 ? [choice] : choice.split("\n");
  if (lines.length === questions.length)
    return questions.map((question, index) => wordsOf(question, (lines[index] ?? "").trim()));
  throw new RollcallError("bad_input", `It asks ${questions.length} questions at once.`, {
    hint: `Give one answer in a line for each: ${questions.map(({ question }) => question).join(" / ")}`,
  });
}

function wordsOf({ labels, isMultiple }: Question, text: string): readonly string[] {
  const words = isMultiple && !labels.includes(text) ? text.split(",").map((word) => word.trim()) : [text];
  return words.map((word) => {
    const label = labels.includes(word) ? word : /^\d+$/u.test(word) ? labels[Number(word) - 1] : undefined;
    if (label !== undefined) return label;
    if (isMultiple || word === "" || /^\d+$/u.test(word)) throw notOffered(labels, word);
    return word;
  });
}

function notOffered(labels: readonly string[], word: string): RollcallError {
  return new RollcallError("bad_input", `${JSON.stringify(word)} is not offered.`, {
    hint: `Valid: ${labels.join(", ")}; or a number from 1 to ${labels.length}.`,
  });
}

/** The keys of its dialog, which goes on to the next question by itself and wants a last yes behind several. */
export function choosing({ input }: Waiting, choice: string): Keystrokes | undefined {
  const questions = questionsIn(input);
  const [first] = questions;
  if (first === undefined || questions.some(({ labels }) => labels.length > MOST_OPTIONS)) return undefined;
  const keys = chosenIn(questions, choice).flatMap((words, index) =>
    keysOf(questions[index] as Question, words),
  );
  const needsYes = questions.length > 1 || first.isMultiple;
  const [bytes = "", ...more] = needsYes ? [...keys, "1"] : keys;
  return { bytes, more, onScreen: `^${shown(first.question)}[\\s\\S]*^❯ 1\\. [\\s\\S]*^Enter to select` };
}

function keysOf({ labels, isMultiple }: Question, words: readonly string[]): string[] {
  const keyOf = (word: string) => String(labels.indexOf(word) + 1);
  if (isMultiple) return [...new Set(words.map(keyOf)), RIGHT];
  const [word = ""] = words;
  // Behind the options stands one for a text.
  return labels.includes(word) ? [keyOf(word)] : [String(labels.length + 1), pasted(word), "\r"];
}
