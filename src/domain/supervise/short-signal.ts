import { shortParams, shortText } from "../short-value.ts";
import type { Asked, Signal } from "./signal.ts";

/** Enough for a person to understand a question or an error. */
export const MOST_WORDS = 4096;
const MOST_NAME_CHARS = 200;
const MOST_OPTIONS = 100;
const MOST_OPTION_CHARS = 1000;

/**
 * A signal puts only short values into the row of a session, whatever the agent says: every list reads the row, and each event
 * writes it again. The transcript has the whole of it.
 */
export function shortSignal(signal: Signal): Signal {
  const excerpt = signal.excerpt === null ? null : shortText(signal.excerpt, MOST_WORDS);
  return signal.says === "asking"
    ? { ...signal, excerpt, asked: shortAsked(signal.asked) }
    : { ...signal, excerpt };
}

function shortAsked(asked: Asked): Asked {
  const { tool, input, question, options } = asked;
  return {
    ...asked,
    tool: tool === null ? null : shortText(tool, MOST_NAME_CHARS),
    input: input === null ? null : shortParams(input),
    question: question === null ? null : shortText(question, MOST_WORDS),
    options:
      options === null
        ? null
        : options.slice(0, MOST_OPTIONS).map((one) => shortText(one, MOST_OPTION_CHARS)),
  };
}
