import { listOf, objectOf, textOf } from "../json-lines.ts";

/**
 * The memory of all parsers of Gemini CLI. It may come from an older release or a damaged file, so that lists are read
 * by the functions below and words are compared with those that are known.
 */
export type GeminiMemory = {
  /** The last title of its terminal. */
  readonly title?: "ready" | "working" | "asking";
  /** It has worked: the title is believed from then on. */
  readonly hasWorked?: boolean;

  // The conversation on disk.
  /** The last answer of the model, which is written again with each result of a tool. */
  readonly answer?: Answer;
  /** The model that gave it. */
  readonly model?: string;
  /** Messages are being written again, under other ids. */
  readonly isRepeating?: boolean;
  /** How far the turn is: a text was said, or the model has answered without calling a tool. */
  readonly turn?: "open" | "answered" | "over";
  /** Over the protocol: the text of the turn was taken back, for it had no answer. */
  readonly isTakenBack?: boolean;
};

export type Answer = {
  readonly id: string;
  /** The calls that stand in the record. */
  readonly calls: readonly string[];
  /** The calls whose result does, too. */
  readonly results: readonly string[];
  readonly hasText: boolean;
};

/** The last answer, if it has this id; else a new one. */
export function answerOf({ answer }: GeminiMemory, id: string): Answer {
  const known = objectOf(answer);
  if (textOf(known.id) !== id) return { id, calls: [], results: [], hasText: false };
  return { id, calls: texts(known.calls), results: texts(known.results), hasText: known.hasText === true };
}

function texts(value: Parameters<typeof listOf>[0]): string[] {
  return listOf(value).flatMap((one) => textOf(one) ?? []);
}
