import type { SessionRecord } from "../domain/session/session.ts";
import { asksForSeveral, numbered, optionsOf, questionOf, questionsOf } from "./request.ts";
import { cut, printable, widthOf } from "./text.ts";

/** The question of a session with its choices, a line each within the width; several questions one after the other. */
export function askedLines(session: SessionRecord, width: number): readonly string[] {
  const several = questionsOf(session);
  const lines =
    several.length === 0
      ? [marked(questionOf(session), asksForSeveral(session)), ...beside(optionsOf(session), width)]
      : several.flatMap(({ question, options, isMultiple }) => [
          marked(question, isMultiple),
          ...beside(numbered(options), width),
        ]);
  return lines.filter((line) => line !== "").map((line) => cut(printable(line), width));
}

function marked(question: string, isMultiple: boolean): string {
  return isMultiple ? `${question} (one or more)` : question;
}

/** On one line where there is room, else each on its own. */
export function onOneLine(parts: readonly string[], between: string, width: number): readonly string[] {
  const line = parts.join(between);
  return parts.length === 0 || widthOf(line) <= width ? [line].filter(Boolean) : parts;
}

/** As many on each line as there is room for. */
export function beside(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts.map(printable)) {
    const joined = `${lines.at(-1)}   ${part}`;
    if (lines.length > 0 && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}
