import type { Parsed } from "../agents/parsed.ts";
import type { ReadCursor } from "../domain/read-cursor.ts";
import type { Decision, EventBody, NewEvent } from "../domain/session/event.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { shortFacts } from "../domain/short-value.ts";
import type { Instant } from "../domain/time.ts";
import type { PriceRequest } from "../domain/usage.ts";

/** The part of a parsed piece that goes into the record. */
export type Recordable = {
  readonly [K in "at" | "identity" | "entries" | "usage" | "totals" | "unknown"]?: Parsed[K] | undefined;
};

/** The same with its place. */
export interface ParsedPiece extends Recordable {
  readonly now: Instant;
  /** Gives what happened an id, a time and a channel. */
  readonly stamp: (body: EventBody, at: Instant) => NewEvent;
  /** Adds to each request what it costs; without it they are counted as the agent reports them. */
  readonly price?: PriceRequest | undefined;
  /** Names the place of the piece, so that reading it again adds nothing; undefined where it has none. */
  readonly key?: string | undefined;
  /** How much of the agent's output is in the transcript with this piece. */
  readonly consumed?: Extract<EventBody, { kind: "entry_added" }>["consumed"] | undefined;
  /** The text of a user in it begins a turn of its own. */
  readonly opensTurn?: boolean | undefined;
  /** The conversation was taken back before this piece, to before the entry with this id. */
  readonly rewoundSince?: string | undefined;
  /** How far the source was read before this piece; committed with it. */
  readonly cursors?: readonly ReadCursor[] | undefined;
  /** Turns that end before what is said here, or begin with it, and those that end behind it. */
  readonly turns?:
    | { readonly before: readonly TurnEvent[]; readonly after: readonly TurnEvent[] }
    | undefined;
}

/** An event of a turn, known by its place in a transcript. */
export interface TurnEvent {
  readonly id: string;
  readonly body: (generation: number) => EventBody;
}

/**
 * Decides what a parsed piece adds to a session, whether we carry it or only observe it: identity, entries, turns and
 * usage, all of which commit together. An entry has the time at which the agent said it.
 */
export function decideParsed(row: SessionRow, piece: ParsedPiece): Decision {
  const { now, stamp, turns, price, usage = [], unknown, key } = piece;
  const saidAt = piece.at === undefined || piece.at > now ? now : piece.at;
  const turnEvents = (events: readonly TurnEvent[] = []) =>
    events.map(({ id, body }) => ({ ...stamp(body(row.generation), saidAt), id }));
  return {
    events: [
      ...identified(row, piece),
      ...rewound(piece, saidAt),
      ...turnEvents(turns?.before),
      ...entriesAdded(piece, saidAt),
      ...totalsReported(row, piece, saidAt),
      ...turnEvents(turns?.after),
    ],
    usage: price === undefined ? usage : usage.map(price),
    at: now,
    ...(unknown === undefined || key === undefined ? {} : { unknown: [{ ...unknown, key }] }),
    ...(piece.cursors === undefined ? {} : { cursors: piece.cursors }),
  };
}

/** A transcript that is read again says again who it is. */
function identified(row: SessionRow, { identity: said, stamp, now }: ParsedPiece): NewEvent[] {
  if (said === undefined) return [];
  const identity = shortFacts(said);
  const names = Object.keys(identity) as (keyof typeof identity)[];
  const isKnown = names.every((name) => row[name] === identity[name]);
  return isKnown ? [] : [stamp({ kind: "identified", identity }, now)];
}

/** A transcript says them again each time that its agent leaves. */
function totalsReported(row: SessionRow, { totals, key, stamp }: ParsedPiece, saidAt: Instant): NewEvent[] {
  if (totals === undefined) return [];
  const { source, total, sinceLast } = totals;
  const kept = JSON.stringify(row.reported?.[source]?.total);
  if (sinceLast === null && kept === JSON.stringify(total)) return [];
  const event = stamp({ kind: "totals_reported", ...totals }, saidAt);
  return [key === undefined ? event : { ...event, id: `${key}-totals` }];
}

/** Its id follows from the entry and its place: reading it again adds nothing. */
function rewound({ rewoundSince: since, key, stamp }: ParsedPiece, saidAt: Instant): NewEvent[] {
  if (since === undefined) return [];
  const event = stamp({ kind: "rewound", since }, saidAt);
  return [key === undefined ? event : { ...event, id: `${key}-rewound` }];
}

function entriesAdded(piece: ParsedPiece, saidAt: Instant): NewEvent[] {
  const { entries = [], key, stamp } = piece;
  return entries.map((entry, index) => {
    const isLast = index === entries.length - 1;
    const consumed = isLast && piece.consumed ? { consumed: piece.consumed } : {};
    const opens = piece.opensTurn && entry.role === "user" ? { opensTurn: true } : {};
    const event = stamp({ kind: "entry_added", entry, ...consumed, ...opens }, saidAt);
    return key === undefined ? event : { ...event, id: `${key}-${index}` };
  });
}
