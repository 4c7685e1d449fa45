import type { Entry } from "../../domain/transcript/entry.ts";
import type { Store } from "../../store/store.ts";

const TURNS = 5;
const PAGE = 100;
/** A turn of thousands of tool calls is not read to its beginning. */
const MOST_ENTRIES = 1000;

/** The last five turns of a session, in order, within a limit of bytes: the oldest are left out, the longest cut. */
export async function lastTurns(store: Store, sessionId: string, maxBytes: number): Promise<Entry[]> {
  const entries = await readBack(store, sessionId);
  const kept: Entry[] = [];
  let left = maxBytes;
  for (const entry of entries.toReversed()) {
    const fitting = shorten(entry, left);
    if (!fitting) break;
    left -= bytesOf(fitting);
    kept.push(fitting);
    if (fitting !== entry) break;
  }
  return kept.reverse();
}

/** Backwards, a page at a time, until the fifth message of a user. */
async function readBack(store: Store, sessionId: string): Promise<Entry[]> {
  const found: Entry[] = [];
  let turns = 0;
  let before: number | undefined;
  while (found.length < MOST_ENTRIES) {
    const page = await store.entries(sessionId, {
      tail: true,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    for (const entry of page.toReversed()) {
      found.push(entry);
      if (entry.role === "user" && entry.kind === "text") turns += 1;
      if (turns === TURNS) return found.reverse();
    }
    if (page.length < PAGE) break;
    before = page[0]?.seq;
  }
  return found.reverse();
}

/** The entry if it fits, a cut one if some of its text does, nothing otherwise. */
function shorten(entry: Entry, left: number): Entry | undefined {
  if (bytesOf(entry) <= left) return entry;
  const bare: Entry = {
    seq: entry.seq,
    at: entry.at,
    role: entry.role,
    kind: entry.kind,
    text: "… (cut)",
    tool: null,
  };
  const room = left - bytesOf(bare);
  if (room <= 0) return undefined;
  const text = entry.text ?? JSON.stringify(entry.tool);
  const cut = Buffer.from(text)
    .subarray(0, Math.floor(room / 2))
    .toString()
    .replace(/\uFFFD+$/, "");
  return { ...bare, text: `${cut}… (cut)` };
}

function bytesOf(entry: Entry): number {
  return Buffer.byteLength(JSON.stringify(entry));
}
