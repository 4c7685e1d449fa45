import { join } from "node:path";
import Database from "better-sqlite3";
import type { NewEvent } from "../src/domain/session/event.ts";
import type { Rollcall } from "../src/index.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";
import { createSessions, openIn } from "./sessions.ts";

const SESSIONS = 100;
const AT_ONCE = 2000;
const PAGE = 20;
/** A rare word, a common one, two of them, and a beginning. */
const TOPICS = [
  "parser",
  "build",
  "migration",
  "query",
  "socket",
  "cache",
  "render",
  "upload",
  "login",
  "import",
];
const THINGS = [
  "brace",
  "name",
  "number",
  "row",
  "byte",
  "path",
  "colour",
  "packet",
  "lock",
  "thread",
  "table",
];
const QUERIES = ["entry77", "parser", "parser failed", "brac*"];

/** A page of hits with excerpts and sessions, against the places alone by the same index. */
export async function* search(bench: Bench): AsyncIterable<Figure> {
  const entries = bench.isQuick ? 50_000 : 1_000_000;
  const home = bench.scratch.folder();
  await using rollcall = await openIn(home);
  await addEntries(rollcall, entries);
  const raw = new Database(join(home, "rollcall.db"), { readonly: true });
  try {
    const places = raw.prepare("SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?").pluck();
    const compared = await interleave({
      rounds: bench.isQuick ? 11 : 21,
      ours: () =>
        tookMs(async () => {
          for (const text of QUERIES) await rollcall.context.store.search({ text, limit: PAGE });
        }),
      baseline: () =>
        tookMs(() => {
          for (const text of QUERIES) places.all(text, PAGE);
        }),
    });
    const note = `a page of ${PAGE} hits in ${entries} entries, against the bare index`;
    yield { name: "search", ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
  } finally {
    raw.close();
  }
}

async function addEntries(rollcall: Rollcall, count: number): Promise<void> {
  const share = count / SESSIONS;
  for (const [index, id] of (await createSessions(rollcall, SESSIONS)).entries())
    for (let start = 0; start < share; start += AT_ONCE) {
      const events = Array.from({ length: Math.min(AT_ONCE, share - start) }, (_, no) =>
        entryEvent(index * share + start + no),
      );
      await rollcall.context.store.change(id, () => events);
    }
}

function entryEvent(no: number): NewEvent {
  const text = `entry${no % 5000}: the ${TOPICS[no % TOPICS.length]} failed, expected a ${THINGS[no % THINGS.length]}`;
  const at = new Date(Date.UTC(2026, 5, 1) + no * 1000).toISOString();
  const entry = { role: "assistant", kind: "text", text, tool: null } as const;
  return { id: `search-${no}`, at, channel: "api", body: { kind: "entry_added", entry } };
}
