import { RollcallError } from "../domain/errors.ts";

/** A question as far as an answer to it has to be checked. */
export interface Question {
  readonly question: string;
  readonly labels: readonly string[];
  readonly isMultiple: boolean;
  /** Whether it takes a text of the person's own; one with several choices never does. */
  readonly acceptsText: boolean;
}

/** The chosen words of each question: options, or a text of the person's own. */
export type ChosenWords = readonly (readonly string[])[];

/** Reads a number, a label or a free text for each question, one in a line; several of one question between commas. */
export function chosenWords(questions: readonly Question[], choice: string): ChosenWords {
  const lines = questions.length === 1 ? [choice] : choice.split("\n");
  if (lines.length === questions.length)
    return questions.map((question, index) => wordsOf(question, (lines[index] ?? "").trim()));
  throw new RollcallError("bad_input", `It asks ${questions.length} questions at once.`, {
    hint: `Give one answer in a line for each: ${questions.map(({ question }) => question).join(" / ")}`,
  });
}

function wordsOf(question: Question, text: string): readonly string[] {
  const { labels, isMultiple } = question;
  if (!isMultiple || labels.includes(text)) return [wordOf(question, text)];
  const words = text.split(",").map((word) => wordOf(question, word.trim()));
  return labels.filter((label) => words.includes(label));
}

function wordOf({ labels, isMultiple, acceptsText }: Question, word: string): string {
  const isNumber = /^\d+$/u.test(word);
  const label = labels.includes(word) ? word : isNumber ? labels[Number(word) - 1] : undefined;
  if (label !== undefined) return label;
  if (isMultiple || !acceptsText || isNumber || word === "") throw notOffered(labels, word);
  return word;
}

function notOffered(labels: readonly string[], word: string): RollcallError {
  return new RollcallError("bad_input", `${JSON.stringify(word)} is not offered.`, {
    hint: `Valid: ${labels.join(", ")}; or a number from 1 to ${labels.length}.`,
  });
}
