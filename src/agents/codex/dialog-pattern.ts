import type { Waiting } from "../../domain/session/session.ts";
import { CUT_MARK, pathsIn } from "./shown.ts";

/** So many characters of an end are looked for; a pattern has room for little more. */
const END_CHARS = 35;
const CUT = "\\[… \\d+ lines\\][^\\n]*";

/**
 * What has to be on the screen before the request may be answered: its own command or files, directly above the choices.
 * Undefined where they are not known, or not in full.
 */
export function dialogPattern({ input, question }: Waiting): string | undefined {
  const { cmd, files } = input ?? {};
  if (typeof cmd === "string" && cmd.trim() !== "") return above(`\\$ ${drawn(charactersOf(cmd))}`);
  const paths = Array.isArray(files) ? files : pathsIn(input ?? {});
  if (typeof paths[0] === "string") return above(`Destination:[^\\n]*${drawn(charactersOf(paths[0]))}[^?]*`);
  if (question === null || question.endsWith(CUT_MARK)) return undefined;
  return above(spaced(charactersOf(question).slice(-END_CHARS)));
}

/** How a text begins, up to where secrets were taken out of it. */
export function beginningOf(text: string): string {
  const [whole = ""] = text.split("[REDACTED:");
  return spaced(charactersOf(whole).slice(0, END_CHARS));
}

/** Only the choices of a dialog begin in the first column; what the agent says stands further in. */
function above(shown: string): string {
  return `${shown}\\s*(?:${CUT})?\\n\\s*^› 1\\. Yes`;
}

/** As a terminal of any height shows it: cut where it is too long. */
function drawn(characters: readonly string[]): string {
  if (characters.length <= 2 * END_CHARS) return spaced(characters);
  const [head, tail] = [characters.slice(0, END_CHARS), characters.slice(-END_CHARS)];
  return `${spaced(head)}[\\s\\S]*(?:${spaced(tail)}|${CUT})`;
}

/** As a terminal of any width shows it: broken anywhere. */
function spaced(characters: readonly string[]): string {
  return characters.map((character) => character.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("\\s*");
}

function charactersOf(text: string): string[] {
  return [...text].filter((character) => !/\s/.test(character));
}
