import { RollcallError } from "../../domain/errors.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Keystroke, Keystrokes } from "../agent.ts";
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

function wordsOf(question: Question, text: string): readonly string[] {
  const { labels, isMultiple } = question;
  if (!isMultiple || labels.includes(text)) return [wordOf(question, text)];
  const words = text.split(",").map((word) => wordOf(question, word.trim()));
  return labels.filter((label) => words.includes(label));
}

function wordOf({ labels, isMultiple, hasPreviews }: Question, word: string): string {
  const isNumber = /^\d+$/u.test(word);
  const label = labels.includes(word) ? word : isNumber ? labels[Number(word) - 1] : undefined;
  if (label !== undefined) return label;
  if (isMultiple || hasPreviews || isNumber || word === "") throw notOffered(labels, word);
  return word;
}

function notOffered(labels: readonly string[], word: string): RollcallError {
  return new RollcallError("bad_input", `${JSON.stringify(word)} is not offered.`, {
    hint: `Valid: ${labels.join(", ")}; or a number from 1 to ${labels.length}.`,
  });
}

/**
 * The keys of its dialog, which goes on to the next question by itself and wants a last yes behind several. It drops keys
 * while it draws: each waits for the page that it is for, and the yes for all that was chosen.
 */
export function choosing({ input }: Waiting, choice: string): Keystrokes | undefined {
  const questions = questionsIn(input);
  const hasKeys = questions.every(({ labels }) => labels.length <= MOST_OPTIONS);
  if (questions.length === 0 || !hasKeys || areAlike(questions)) return undefined;
  const answers = chosenIn(questions, choice).map((words, index) => ({
    ...(questions[index] as Question),
    words,
  }));
  const needsYes = answers.length > 1 || answers[0]?.isMultiple;
  const yes = needsYes ? [{ bytes: "1", onScreen: reviewOf(answers) }] : [];
  const [first, ...more] = [...answers.flatMap(keysOf), ...yes];
  return first && { ...first, more };
}

/** A question with the words that were chosen. */
interface Answer extends Question {
  readonly words: readonly string[];
}

/** One page could be taken for the other. */
function areAlike(questions: readonly Question[]): boolean {
  return new Set(questions.map(({ question }) => shown(question))).size < questions.length;
}

function keysOf(answer: Answer): Keystroke[] {
  const { labels, words, isMultiple, hasPreviews } = answer;
  if (isMultiple) return keysOfBoxes(answer);
  const [word = ""] = words;
  // Behind the options stands one for a text.
  const key = String((labels.includes(word) ? labels.indexOf(word) : labels.length) + 1);
  const first = { bytes: key, onScreen: pageOf(answer, "^❯ 1\\. ") };
  if (!labels.includes(word))
    return [
      first,
      { bytes: pasted(word), onScreen: `^❯ ${key}\\. Type something` },
      { bytes: "\r", onScreen: `^❯ ${key}\\. ${shown(word)}` },
    ];
  return hasPreviews ? [first, { bytes: "\r", onScreen: pageOf(answer, `^❯ ${key}\\. `) }] : [first];
}

/** One key for each box, and one to leave the page. */
function keysOfBoxes(answer: Answer): Keystroke[] {
  const { labels, words } = answer;
  const page = (checked: readonly string[]) => pageOf(answer, boxesOf(labels, checked));
  return [
    ...words.map((word, index) => ({
      bytes: String(labels.indexOf(word) + 1),
      onScreen: page(words.slice(0, index)),
    })),
    { bytes: RIGHT, onScreen: page(words) },
  ];
}

function boxesOf(labels: readonly string[], checked: readonly string[]): string {
  const box = (label: string, index: number) =>
    `^[❯ ] ${index + 1}\\. \\[${checked.includes(label) ? "✔" : " "}\\] `;
  return labels.map(box).join("[\\s\\S]*");
}

/** A question that fills more than a line has a bar in front. */
function pageOf({ question }: Question, options: string): string {
  return `^(?:│ )?${shown(question)}[\\s\\S]*${options}[\\s\\S]*^Enter to select`;
}

const REVIEWED_CHARS = 20;

function reviewOf(answers: readonly Answer[]): string {
  const lines = answers.map(({ question, words }) => {
    const told = shown(words.join(", "), REVIEWED_CHARS);
    return `^ (?:│ )?● ${shown(question, REVIEWED_CHARS)}[\\s\\S]*^ +→ ${told}`;
  });
  return ["^Review your answers$", ...lines, "^❯ 1\\. Submit answers$"].join("[\\s\\S]*");
}
