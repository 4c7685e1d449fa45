import type { SessionEvent } from "../session/event.ts";

/** A moment that a person looks for in what a session did: a turn begins, or a tool is called. */
export interface Moment {
  readonly kind: "turn" | "tool";
  readonly atMs: number;
  /** The event in the record, by id and place: a replay and the transcript go there together. */
  readonly eventId: string;
  readonly seq: number;
  /** `turn 3`, or the name of the tool. */
  readonly title: string;
}

export function momentOf({ id, seq, at, body }: SessionEvent): Moment | undefined {
  const place = { atMs: Date.parse(at), eventId: id, seq };
  if (body.kind === "turn_began") return { kind: "turn", ...place, title: `turn ${body.number}` };
  if (body.kind !== "entry_added" || body.entry.kind !== "tool_call" || body.entry.tool === null)
    return undefined;
  return { kind: "tool", ...place, title: body.entry.tool.name };
}

/** As a marker of a recording names it: what it is, and the id of its event. */
export function momentLabel({ title, eventId }: Moment): string {
  return `${title} ${eventId}`;
}
