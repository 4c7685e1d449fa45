import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "./entry.ts";
import { cursorText, type EntryCursor, parseCursor } from "./entry-cursor.ts";
import { type EntryPage, fillPage } from "./entry-page.ts";
import { type Piece, pieceOf, type ShownEntry, wireBytes } from "./entry-part.ts";

const PIECES = [
  "a",
  "\n",
  '"',
  "\\",
  "é",
  "漢",
  "🙂",
  "\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b]8;;x\u001b\\",
];

const texts = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), fc.integer({ min: 1, max: 60 }))
  .map(([pieces, times]) => pieces.join("").repeat(times));

const entries = fc
  .array(
    fc.record({
      text: fc.option(texts, { nil: null }),
      tool: fc.option(
        fc.record(
          { name: fc.string({ maxLength: 9 }), params: texts, result: fc.record({ someKey: texts }) },
          { requiredKeys: ["name"] },
        ),
        { nil: null },
      ),
      isAnnounced: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((list) =>
    list.map(({ isAnnounced, ...rest }, index): Entry => {
      const entry = { role: "assistant", kind: "text", at: "2026-01-08T18:05:30.000Z", ...rest } as const;
      const calls = isAnnounced ? { toolCalls: [{ callId: rest.text }] } : {};
      return { ...entry, ...calls, seq: 3 * index + 1 } as Entry;
    }),
  );

const budgets = fc.array(fc.integer({ min: 300, max: 3000 }), { minLength: 1, maxLength: 5 });
const limits = fc.integer({ min: 1, max: 10 });

describe("walking a transcript page by page", () => {
  test.each([true, false])(
    "gives back exactly the whole, whatever the sizes (forward: %s)",
    async (isForward) => {
      await fc.assert(
        fc.asyncProperty(entries, budgets, limits, async (all, sizes, limit) => {
          const pages = await walk(all, { isForward, sizes, limit });
          expect(joined(pages.flatMap((page) => page.entries))).toEqual(all.map(content));
        }),
        { numRuns: 300 },
      );
    },
  );

  test("can turn round at any page without a gap or a double", async () => {
    await fc.assert(
      fc.asyncProperty(entries, budgets, fc.nat(20), async (all, sizes, turnAt) => {
        const back = await walk(all, { isForward: false, sizes, limit: 10 });
        const at = back[Math.min(turnAt, back.length - 1)] as EntryPage;
        if (at.after === null) return;
        const after = parseCursor(at.after, "after");
        const forth = await walk(all, { isForward: true, sizes, limit: 10, after });
        const older = back.slice(0, back.indexOf(at) + 1).flatMap((page) => page.entries);
        expect(joined([...older, ...forth.flatMap((page) => page.entries)])).toEqual(all.map(content));
      }),
    );
  });

  test("cuts no character, and no escape sequence that fits into a page", async () => {
    await fc.assert(
      fc.asyncProperty(entries, budgets, fc.boolean(), async (all, sizes, isForward) => {
        const pages = await walk(all, { isForward, sizes, limit: 10 });
        for (const { text } of pages.flatMap((page) => page.entries)) {
          expect((text ?? "").isWellFormed()).toBe(true);
          expect(text ?? "").not.toMatch(/^(?:\[31m|31m|1m|m|title|itle|\]0|\]8|0;t|8;;)/);
        }
      }),
    );
  });
});

test("the newest of an entry larger than a page is what a page from the end shows", async () => {
  const text = Array.from({ length: 500 }, (_, line) => `line ${line}`).join("\n");
  const page = await pageOf([plain(1, text), plain(2, "end")], { isForward: false, bytes: 2000, limit: 50 });
  expect(page).toMatchObject({ truncated: true, after: "2", before: expect.stringMatching(/^1\.\d+$/) });
  expect(page.entries.map((entry) => entry.text?.slice(-8))).toEqual(["line 499", "end"]);
  expect(page.entries[0]?.part).toMatchObject({ to: text.length, of: text.length });
});

test("an entry that fits into a page of its own is not cut", async () => {
  const all = [plain(1, "x".repeat(1500)), plain(2, "y".repeat(1500))];
  const page = await pageOf(all, { isForward: false, bytes: 2000, limit: 50 });
  expect(page).toMatchObject({ entries: [{ seq: 2 }], truncated: true, before: "2", after: "2" });
});

test("a cursor inside a character means the beginning of it", () => {
  expect(pieceOf(plain(1, "a🙂b"), { seq: 1, offset: 2 })).toMatchObject({ from: 1 });
  expect(pieceOf(plain(1, "a🙂b"), undefined, { seq: 1, offset: 2 })).toMatchObject({ to: 1 });
  expect(pieceOf(plain(1, "ab"), { seq: 1, offset: 99 })).toBeUndefined();
});

test.each(["", "x", "-1", "1.", ".1", "1.2.3", "1e3", " 1", "9".repeat(16)])("%j is no cursor", (text) => {
  expect(() => parseCursor(text, "before")).toThrow("is not a cursor for before");
});

test.each(["0", "12", "12.345"])("%j is a cursor and is written as it was read", (text) => {
  expect(cursorText(parseCursor(text, "after"))).toBe(text);
});

function plain(seq: number, text: string): Entry {
  return { seq, at: "2026-01-08T18:05:30.000Z", role: "assistant", kind: "text", text, tool: null };
}

interface Walk {
  readonly isForward: boolean;
  readonly sizes: readonly number[];
  readonly limit: number;
  readonly after?: EntryCursor;
}

/** Every page, in the order of the walk; sizes change from page to page. */
async function walk(all: readonly Entry[], { isForward, sizes, limit, after }: Walk): Promise<EntryPage[]> {
  const pages: EntryPage[] = [];
  for (let place = after; ; ) {
    const bytes = sizes[pages.length % sizes.length] as number;
    const page = await pageOf(all, { isForward, bytes, limit }, place);
    expect(page.entries.reduce((sum, entry) => sum + wireBytes(entry), 0)).toBeLessThanOrEqual(bytes);
    if (isForward) pages.push(page);
    else pages.unshift(page);
    const next = isForward ? page.after : page.before;
    if (!page.truncated) return pages;
    expect(page.entries.length).toBeGreaterThan(0);
    place = parseCursor(next as string, "the next page");
  }
}

async function pageOf(
  all: readonly Entry[],
  options: { readonly isForward: boolean; readonly bytes: number; readonly limit: number },
  place?: EntryCursor,
): Promise<EntryPage> {
  return fillPage(piecesOf(all, options.isForward, place), options);
}

async function* piecesOf(
  all: readonly Entry[],
  isForward: boolean,
  place: EntryCursor | undefined,
): AsyncIterable<Piece> {
  for (const entry of isForward ? all : all.toReversed()) {
    const isBeyond = place !== undefined && (isForward ? entry.seq < place.seq : entry.seq > place.seq);
    const isDone = place?.seq === entry.seq && place.offset === undefined;
    if (isBeyond || isDone) continue;
    const piece = isForward ? pieceOf(entry, place) : pieceOf(entry, undefined, place);
    if (piece) yield piece;
  }
}

interface Content {
  readonly seq: number;
  readonly text: string | null;
  readonly rest: unknown;
}

function content({ seq, text, tool, toolCalls }: Entry): Content {
  const { name: _, ...more } = tool ?? { name: "" };
  const rest = { ...more, ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }) };
  return { seq, text, rest };
}

/** Entries put together again from their parts. */
function joined(shown: readonly ShownEntry[]): Content[] {
  const whole = new Map<number, { text: string | null; json: string; entry: ShownEntry }>();
  for (const entry of shown) {
    const { seq, text, restJson = "", part } = entry;
    const known = whole.get(seq);
    expect(part?.from ?? 0).toBe((known?.text ?? "").length + (known?.json ?? "").length);
    if (!known) whole.set(seq, { text, json: restJson, entry });
    else {
      known.text = text === null ? null : `${known.text}${text}`;
      known.json += restJson;
    }
  }
  return [...whole].map(([seq, { text, json, entry }]) => {
    if (entry.part === undefined) return content(entry);
    return { seq, text, rest: json === "" ? {} : (JSON.parse(json) as unknown) };
  });
}
