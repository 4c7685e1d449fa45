import type { Waiting } from "../../domain/session.ts";
import { pathsIn } from "./shown.ts";

/** So many characters of each end are looked for; a pattern has room for no more. */
const END_CHARS = 35;

/**
 * What has to be on the screen before the request may be answered: its own command or files, directly above the choices.
 * Undefined where they are not known.
 */
export function dialogPattern({ input, question }: Waiting): string | undefined {
  const { cmd, files } = input ?? {};
  if (typeof cmd === "string" && cmd.trim() !== "") return above(`\\$ ${drawn(cmd)}`);
  const paths = Array.isArray(files) ? files : pathsIn(input ?? {});
  if (typeof paths[0] === "string") return above(`Destination:[^\\n]*${drawn(paths[0])}[\\s\\S]*`);
  return question === null ? undefined : above(drawn(question));
}

/** In a narrow terminal the choices begin further down. */
function above(shown: string): string {
  return `${shown}\\s*(?:\\[… \\d+ lines\\][^\\n]*)?\\s*› 1\\. Yes`;
}

/** A text as a terminal of any width shows it: broken anywhere, and cut where it is too long. */
function drawn(text: string): string {
  const characters = [...text].filter((character) => !/\s/.test(character));
  if (characters.length <= 2 * END_CHARS) return spaced(characters);
  const [head, tail] = [characters.slice(0, END_CHARS), characters.slice(-END_CHARS)];
  return `${spaced(head)}[\\s\\S]*(?:${spaced(tail)}|\\[… \\d+ lines\\])`;
}

function spaced(characters: readonly string[]): string {
  return characters.map((character) => character.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("\\s*");
}
