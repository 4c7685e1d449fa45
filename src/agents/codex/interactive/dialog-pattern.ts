import type { Waiting } from "../../../domain/session/session.ts";
import { CUT_MARK, pathsIn } from "./shown.ts";

/** This many characters of an end are looked for; a pattern has room for little more. */
const END_CHARS = 35;
const CUT = "\\[… \\d+ lines\\][^\\n]*";

/**
 * A pattern for the dialog that may be answered: the command or files of the request, directly above the choices.
 * Undefined where they are not known, or not in full.
 */
export function dialogPattern({ input, question }: Waiting): string | undefined {
  const { cmd, files } = input ?? {};
  if (typeof cmd === "string" && cmd.trim() !== "")
    return aboveChoices(`\\$ ${cutPattern(charactersOf(cmd))}`);
  const paths = Array.isArray(files) ? files : pathsIn(input ?? {});
  if (typeof paths[0] === "string")
    return aboveChoices(`Destination:[^\\n]*${cutPattern(charactersOf(paths[0]))}[^?]*`);
  if (question === null || question.endsWith(CUT_MARK)) return undefined;
  return aboveChoices(wrappedPattern(charactersOf(question).slice(-END_CHARS)));
}

/** A pattern for the beginning of a text, up to where secrets were taken out of it. */
export function beginningPattern(text: string): string {
  const [whole = ""] = text.split("[REDACTED:");
  return wrappedPattern(charactersOf(whole).slice(0, END_CHARS));
}

/** Only the choices of a dialog begin in the first column; texts of the agent stand further in. */
function aboveChoices(shown: string): string {
  return `${shown}\\s*(?:${CUT})?\\n\\s*^› 1\\. Yes`;
}

/** A pattern for a terminal of any height, which cuts a text that is too long. */
function cutPattern(characters: readonly string[]): string {
  if (characters.length <= 2 * END_CHARS) return wrappedPattern(characters);
  const [head, tail] = [characters.slice(0, END_CHARS), characters.slice(-END_CHARS)];
  return `${wrappedPattern(head)}[\\s\\S]*(?:${wrappedPattern(tail)}|${CUT})`;
}

/** A pattern for a terminal of any width, which breaks a text anywhere. */
function wrappedPattern(characters: readonly string[]): string {
  return characters.map((character) => character.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("\\s*");
}

function charactersOf(text: string): string[] {
  return [...text].filter((character) => !/\s/.test(character));
}
