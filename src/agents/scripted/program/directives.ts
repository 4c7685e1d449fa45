import { PROCESS_DIRECTIVES } from "./process-directives.ts";
import { REQUEST_DIRECTIVES } from "./request-directives.ts";
import { TALK_DIRECTIVES } from "./talk-directives.ts";
import type { Turn } from "./turn.ts";

/** One step of a turn. */
export type Directive = (turn: Turn) => void | Promise<void>;

const ALL = new Map(Object.entries({ ...TALK_DIRECTIVES, ...REQUEST_DIRECTIVES, ...PROCESS_DIRECTIVES }));

/** Splits a prompt into directives at newlines and ` ; `; any other text is answered. */
export function directivesOf(prompt: string): Directive[] {
  const pieces = prompt.split(/\n| ; /).map((piece) => piece.trim());
  const meant = pieces.some((piece) => ALL.has(nameOf(piece))) ? pieces : [prompt];
  return meant.filter((piece) => piece.trim() !== "").map(directiveOf);
}

function directiveOf(piece: string): Directive {
  const name = nameOf(piece);
  const directive = ALL.get(name);
  if (!directive) return (turn) => turn.say(`You said: ${piece}`);
  return (turn) => directive(turn, piece.slice(name.length).trim());
}

function nameOf(piece: string): string {
  return piece.split(/\s/, 1)[0] as string;
}
