import type { Waiting } from "../../../domain/session/session.ts";
import { chosenWords } from "../../choice.ts";
import type { Key, Keys } from "../../deed.ts";
import { pasteBytes } from "../../paste.ts";
import { type Question, questionsIn } from "../requests.ts";
import { shownPattern } from "./dialogs.ts";

const RIGHT = "\u001b[C";
/** Its keys have one digit, and two of them are for other things than options. */
const MOST_OPTIONS = 7;

/**
 * The keys of its dialog, which goes on to the next question by itself and wants a last yes behind several. It drops keys
 * while it draws: each waits for the page that it is for, and the yes for all chosen words.
 */
export function answerKeys({ input }: Waiting, choice: string): Keys | undefined {
  const questions = questionsIn(input);
  const hasKeys = questions.every(({ labels }) => labels.length <= MOST_OPTIONS);
  if (questions.length === 0 || !hasKeys || areAlike(questions)) return undefined;
  const answers = chosenWords(questions, choice).map((words, index) => ({
    ...(questions[index] as Question),
    words,
  }));
  const needsYes = answers.length > 1 || answers[0]?.isMultiple;
  const yes = needsYes ? [{ bytes: "1", onScreen: reviewPattern(answers) }] : [];
  const [first, ...more] = [...answers.flatMap(questionKeys), ...yes];
  return first && { via: "keys", ...first, more };
}

/** A question with the words that were chosen. */
interface Answer extends Question {
  readonly words: readonly string[];
}

/** One page could be taken for the other. */
function areAlike(questions: readonly Question[]): boolean {
  return new Set(questions.map(({ question }) => shownPattern(question))).size < questions.length;
}

function questionKeys(answer: Answer): Key[] {
  const { labels, words, isMultiple, hasPreviews } = answer;
  if (isMultiple) return boxKeys(answer);
  const [word = ""] = words;
  // Behind the options stands one for a text.
  const key = String((labels.includes(word) ? labels.indexOf(word) : labels.length) + 1);
  const first = { bytes: key, onScreen: pagePattern(answer, "^❯ 1\\. ") };
  if (!labels.includes(word))
    return [
      first,
      { bytes: pasteBytes(word), onScreen: `^❯ ${key}\\. Type something` },
      { bytes: "\r", onScreen: `^❯ ${key}\\. ${shownPattern(word)}` },
    ];
  return hasPreviews ? [first, { bytes: "\r", onScreen: pagePattern(answer, `^❯ ${key}\\. `) }] : [first];
}

/** One key for each box, and one to leave the page. */
function boxKeys(answer: Answer): Key[] {
  const { labels, words } = answer;
  const page = (checked: readonly string[]) => pagePattern(answer, boxesPattern(labels, checked));
  return [
    ...words.map((word, index) => ({
      bytes: String(labels.indexOf(word) + 1),
      onScreen: page(words.slice(0, index)),
    })),
    { bytes: RIGHT, onScreen: page(words) },
  ];
}

function boxesPattern(labels: readonly string[], checked: readonly string[]): string {
  const box = (label: string, index: number) =>
    `^[❯ ] ${index + 1}\\. \\[${checked.includes(label) ? "✔" : " "}\\] `;
  return labels.map(box).join("[\\s\\S]*");
}

/** A question that fills more than a line has a bar in front. */
function pagePattern({ question }: Question, options: string): string {
  return `^(?:│ )?${shownPattern(question)}[\\s\\S]*${options}[\\s\\S]*^Enter to select`;
}

const REVIEWED_CHARS = 20;

function reviewPattern(answers: readonly Answer[]): string {
  const lines = answers.map(({ question, words }) => {
    const answer = shownPattern(words.join(", "), REVIEWED_CHARS);
    return `^ (?:│ )?● ${shownPattern(question, REVIEWED_CHARS)}[\\s\\S]*^ +→ ${answer}`;
  });
  return ["^Review your answers$", ...lines, "^❯ 1\\. Submit answers$"].join("[\\s\\S]*");
}
