import { join } from "node:path";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded, type State } from "../../domain/session/state.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import { type EntryCursor, parseCursor } from "../../domain/transcript/entry-cursor.ts";
import { type EntryPage, fillPage } from "../../domain/transcript/entry-page.ts";
import { type Piece, pieceOf, type ShownEntry } from "../../domain/transcript/entry-part.ts";
import { hostOf } from "../../host/host.ts";
import { Screen } from "../../host/screen.ts";
import { readRecordingEnd } from "../../recording/recording-segments.ts";
import { configNow } from "../config-now.ts";
import type { Daemon } from "../daemon.ts";
import { rowOf } from "../launch/start.ts";
import type { Services } from "../services.ts";

export interface DataInput {
  readonly sessionId: string;
  readonly tail?: number;
  readonly after?: string;
  readonly before?: string;
  readonly maxBytes?: number;
  /** Also what was taken back. */
  readonly withRewound?: boolean;
}

export interface SessionData {
  readonly sessionId: string;
  readonly observability: "live" | "not_yet_observable" | "transcript_lost" | "ended";
  readonly state: State;
  readonly entries: readonly ShownEntry[];
  /** A part of the conversation was taken back. */
  readonly hasRewound: boolean;
  readonly screen: string | null;
  /** There is more than was asked for or fits; the cursors lead to it. */
  readonly truncated: boolean;
  readonly before: string | null;
  readonly after: string | null;
}

/** For the fields around the entries, and for a reader's own notice. */
const FRAME_BYTES = 500;
/** However little may be said, a part of an entry has room. */
const PART_BYTES = 400;
/** So much of the answer a screen may take. */
const SCREEN_SHARE = 0.5;
const DEFAULT_TAIL = 50;
/** So many entries are read at a time. */
const STEP = 50;
/** So much of a recording makes the last screen of all but the oddest programs, in a moment. */
const SCREEN_BYTES = 1024 * 1024;

/** Reads the words of an agent and its screen. An error on reading never means that a session is gone. */
export async function sessionData(daemon: Daemon, input: DataInput): Promise<SessionData> {
  const row = await rowOf(daemon, input.sessionId);
  const budget =
    (input.maxBytes ?? configNow(daemon.services, daemon.services.places.home)["data.max_bytes"]) -
    FRAME_BYTES;
  // A page of what was said earlier has no screen.
  const shown = input.before === undefined ? await screenText(daemon, row) : null;
  const room = Math.floor(Math.max(0, budget - PART_BYTES) * SCREEN_SHARE);
  const screen = shown === null ? null : cutText(shown, room);
  const page = await entriesOf(daemon, input, budget - byteLength(JSON.stringify(screen)));
  return {
    sessionId: row.id,
    observability: observabilityOf(daemon, row, page.entries.some(isTheAgents)),
    state: row.state,
    ...page,
    hasRewound: (row.rewound?.length ?? 0) > 0,
    screen,
    // A reader who goes on from cursor to cursor is told of entries alone, and so comes to an end.
    truncated: page.truncated || (input.after === undefined && screen !== shown),
  };
}

/** Rollcall's own notices are no sign of a transcript. */
function isTheAgents({ kind }: Entry): boolean {
  return kind !== "notice";
}

function observabilityOf(daemon: Daemon, row: SessionRow, hasEntries: boolean): SessionData["observability"] {
  // Lost with its process: no more will come, however it ended.
  if (isEnded(row.state) || (row.state === "unknown" && !daemon.get(row.id))) return "ended";
  const transcript = daemon.get(row.id)?.transcript.status ?? "none";
  if (transcript === "lost") return "transcript_lost";
  if (transcript === "not_yet") return hasEntries ? "transcript_lost" : "not_yet_observable";
  return "live";
}

/** From the holder's spool while it lives, afterwards from the recording. */
async function screenText(daemon: Daemon, row: SessionRow): Promise<string | null> {
  if (!row.carried || !hostOf(row.carried.launch.host).hasScreen) return null;
  const { services } = daemon;
  const live = await daemon.get(row.id)?.screen.now();
  if (live) return services.context.redact(daemon.get(row.id)?.redact(live.text()) ?? live.text());
  using screen = new Screen({ cols: 120, rows: 40 });
  const folder = join(services.places.recordings, row.id);
  for (const [, kind, text] of readRecordingEnd(folder, row.generation, SCREEN_BYTES))
    if (kind === "o") await screen.write(Buffer.from(text));
    else if (kind === "r") screen.resize(sizeOf(text));
  return screen.text();
}

function sizeOf(text: string): { readonly cols: number; readonly rows: number } {
  const [cols = 120, rows = 40] = text.split("x").map(Number);
  return { cols, rows };
}

/** As many entries as fit: from the end backwards, or from a cursor on forwards. */
async function entriesOf(daemon: Daemon, input: DataInput, bytes: number): Promise<EntryPage> {
  const after = input.after === undefined ? undefined : parseCursor(input.after, "after");
  const before = input.before === undefined ? undefined : parseCursor(input.before, "before");
  const isForward = after !== undefined && input.tail === undefined;
  const limit = input.tail ?? (isForward ? Number.POSITIVE_INFINITY : DEFAULT_TAIL);
  const range = { ...(after ? { after } : {}), ...(before ? { before } : {}) };
  const { withRewound = false } = input;
  const { store } = daemon.services.context;
  const pieces = readPieces(store, input.sessionId, { ...range, isForward, withRewound });
  return fillPage(pieces, { isForward, limit, bytes, ...(after ? { after } : {}) });
}

interface PieceRange {
  readonly after?: EntryCursor;
  readonly before?: EntryCursor;
  readonly isForward: boolean;
  readonly withRewound: boolean;
}

/** Entries between two cursors, read in steps: no more is held than a reply is filled from. */
async function* readPieces(
  store: Services["context"]["store"],
  id: string,
  { after, before, isForward, withRewound }: PieceRange,
): AsyncIterable<Piece> {
  // An entry that a cursor points into is read again.
  let from = after && after.seq - (after.offset === undefined ? 0 : 1);
  let to = before && before.seq + (before.offset === undefined ? 0 : 1);
  for (;;) {
    const range = {
      ...(from === undefined ? {} : { after: from }),
      ...(to === undefined ? {} : { before: to }),
    };
    const found = await store.entries(id, { ...range, limit: STEP, tail: !isForward, withRewound });
    for (const entry of isForward ? found : found.toReversed()) {
      const piece = pieceOf(entry, after, before);
      if (piece) yield piece;
    }
    if (found.length < STEP) return;
    if (isForward) from = found.at(-1)?.seq;
    else to = found[0]?.seq;
  }
}

/** The end of a screen says more than its beginning. */
function cutText(text: string, room: number): string {
  let from = 0;
  while (byteLength(JSON.stringify(text.slice(from))) > room && from < text.length) {
    const next = text.indexOf("\n", from);
    from = next < 0 ? text.length : next + 1;
  }
  return text.slice(from);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
