import { oneLine } from "./activity.ts";
import { namedType } from "./agent-type.ts";
import type { EventBody } from "./event.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "./session.ts";

/** The text that a session was first given, cut to one line; later ones leave it as it is. */
export function firstTextAfter({ firstText }: SessionRow, body: EventBody): string | null {
  return firstText ?? textIn(body);
}

/** The subject of a session: its declared purpose, else its command line, else its first text. */
export function aboutOf(row: SessionRow): string | null {
  const { purpose, goal, firstText = null } = row;
  const declared = purpose === DEFAULT_IDENTITY.purpose ? null : purpose;
  return declared || goal || commandLine(row) || firstText;
}

function textIn(body: EventBody): string | null {
  if (body.kind === "turn_began") return body.about || null;
  const isPrompt = body.kind === "input_given" && body.by === "prompt";
  const isSaid = body.kind === "entry_added" && body.entry.role === "user" && body.entry.kind === "text";
  const text = isPrompt ? body.text : isSaid ? body.entry.text : null;
  return text === null ? null : oneLine(text) || null;
}

/** The arguments of an agent are options; those of a plain command are all of it. */
function commandLine({ agentType, carried }: SessionRow): string | null {
  return namedType(agentType) === null && carried ? oneLine(carried.launch.args.join(" ")) || null : null;
}
