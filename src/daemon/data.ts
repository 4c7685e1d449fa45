import { join } from "node:path";
import type { Entry } from "../domain/entry.ts";
import type { SessionRow } from "../domain/session.ts";
import { isEnded, type State } from "../domain/state.ts";
import { toWire } from "../domain/wire.ts";
import { Screen } from "../host/screen.ts";
import { readRecordingEnd } from "../record/recording-segments.ts";
import type { Daemon } from "./daemon.ts";
import { rowOf } from "./start.ts";

export interface DataInput {
  readonly sessionId: string;
  readonly tail?: number;
  readonly after?: number;
  readonly before?: number;
  readonly maxBytes?: number;
}

export interface SessionData {
  readonly sessionId: string;
  readonly observability: "live" | "not_yet_observable" | "transcript_lost" | "ended";
  readonly state: State;
  readonly entries: readonly CutEntry[];
  readonly screen: string | null;
  /** There is more than was asked for or fits; the cursors lead to it. */
  readonly truncated: boolean;
  readonly before: number | null;
  readonly after: number | null;
}

type CutEntry = Entry & { readonly cut?: true };

const MAX_BYTES = 48_000;
/** For the fields around the entries, and for a reader's own notice. */
const FRAME_BYTES = 1000;
/** So much of the answer a screen may take. */
const SCREEN_SHARE = 0.5;
const DEFAULT_TAIL = 50;
/** So much of a recording makes the last screen of all but the oddest programs, in a moment. */
const SCREEN_BYTES = 1024 * 1024;

/** What an agent said and shows. An error on reading never means that a session is gone. */
export async function sessionData(daemon: Daemon, input: DataInput): Promise<SessionData> {
  const row = await rowOf(daemon, input.sessionId);
  const budget = (input.maxBytes ?? MAX_BYTES) - FRAME_BYTES;
  const shown = await screenText(daemon, row);
  const screen = shown === null ? null : cutText(shown, Math.floor(budget * SCREEN_SHARE));
  const page = await entriesOf(daemon, input, budget - byteLength(JSON.stringify(screen)));
  return {
    sessionId: row.id,
    observability: observabilityOf(daemon, row, page.entries.some(isTheAgents)),
    state: row.state,
    ...page,
    screen,
    truncated: page.truncated || (shown !== null && screen !== shown),
  };
}

/** What Rollcall itself had to say is no sign of a transcript. */
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
  if (row.carried?.launch.host !== "pty") return null;
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

type Page = Pick<SessionData, "entries" | "truncated" | "before" | "after">;

/** As many entries as fit: from the end backwards, or from a cursor on forwards. */
async function entriesOf(daemon: Daemon, input: DataInput, budget: number): Promise<Page> {
  const { store } = daemon.services.context;
  const isForward = input.after !== undefined && input.tail === undefined;
  const limit = input.tail ?? (isForward ? 500 : DEFAULT_TAIL);
  const range = {
    ...(input.after === undefined ? {} : { after: input.after }),
    ...(input.before === undefined ? {} : { before: input.before }),
  };
  // One more than asked for tells whether there is more.
  const found = await store.entries(input.sessionId, { ...range, limit: limit + 1, tail: !isForward });
  const hasMore = found.length > limit;
  const asked = !hasMore ? found : isForward ? found.slice(0, limit) : found.slice(1);
  const fitting = takeFitting(isForward ? asked : asked.toReversed(), budget);
  const entries = isForward ? fitting : fitting.toReversed();
  const first = entries[0]?.seq ?? input.before ?? null;
  const last = entries.at(-1)?.seq ?? input.after ?? null;
  const isCut = fitting.length < asked.length || entries.some(({ cut }) => cut);
  return { entries, truncated: hasMore || isCut, before: first, after: last };
}

function takeFitting(entries: readonly Entry[], budget: number): CutEntry[] {
  const fitting: CutEntry[] = [];
  let left = budget;
  for (const entry of entries) {
    const size = sizeOfEntry(entry);
    if (size > left && fitting.length > 0) break;
    fitting.push(size > left ? cutEntry(entry, left) : entry);
    left -= size;
  }
  return fitting;
}

function sizeOfEntry(entry: Entry): number {
  return byteLength(JSON.stringify(toWire(entry))) + 1;
}

/** One entry that is larger than all that may be said: the beginning of its text, or only its tool's name. */
function cutEntry(entry: Entry, budget: number): CutEntry {
  const tool = entry.tool && { name: entry.tool.name };
  const bare: CutEntry = {
    seq: entry.seq,
    at: entry.at,
    role: entry.role,
    kind: entry.kind,
    text: "",
    tool,
    cut: true,
  };
  const room = Math.max(0, budget - sizeOfEntry(bare));
  return { ...bare, text: entry.text === null ? null : cutJson(entry.text, room) };
}

/** So much of a text as takes at most so many bytes once it is written as JSON. */
function cutJson(text: string, room: number): string {
  let most = Math.min(text.length, room);
  while (most > 0 && byteLength(JSON.stringify(text.slice(0, most))) > room + 2)
    most = Math.floor(most * 0.9);
  return wholeCharacters(text.slice(0, most));
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

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
