import { describe, expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import { created, entryAdded, newEvent, request } from "../../testing/events.ts";
import type { Store } from "../store.ts";
import { append, codeOf, type MakePlace } from "./place.ts";

export function cursorsContract(makePlace: MakePlace): void {
  describe("a read cursor", () => {
    test("is kept with the events and the usage of its change, and is there for who opens the store later", async () => {
      using place = makePlace();
      {
        await using store = place.open();
        await append(store, "s", created());
        const usage = [request("r")];
        await store.change("s", () => ({ events: [entry("a")], usage, cursors: [cursorAt(10)] }));
      }
      await using again = place.open();
      expect(await again.findCursor("s", PATH)).toEqual(cursorAt(10));
      expect([(await again.entries("s")).length, (await again.usageOf("s")).length]).toEqual([1, 1]);
    });

    test("is refused with the rest of its change, and broken off with it", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await setTo(store, "s", cursorAt(10));
      const refuse = () => {
        throw new RollcallError("finalized", "No.");
      };
      expect(await codeOf(store.change("s", refuse))).toBe("finalized");
      const broken = () => ({ events: [newEvent(null as never)], cursors: [cursorAt(20)] });
      expect(await codeOf(store.change("s", broken))).toMatch(/^not ours/);
      expect(await codeOf(setTo(store, "none", cursorAt(20)))).toBe("session_not_found");
      expect(await store.findCursor("s", PATH)).toEqual(cursorAt(10));
    });

    test("is known to the next change, also of the same commit", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const first = advance(store, 10);
      const second = advance(store, 20);
      expect([await first, await second, await advance(store, 30)]).toEqual([undefined, 10, 20]);
    });

    test("is unknown to the change that makes its session, and can be set by it", async () => {
      using place = makePlace();
      await using store = place.open();
      let known: unknown = "not asked";
      await store.change("s", (_row, { cursors }) => {
        known = cursors.get(PATH);
        return { events: [newEvent(created())], cursors: [cursorAt(5)] };
      });
      expect([known, await store.findCursor("s", PATH)]).toEqual([undefined, cursorAt(5)]);
    });

    test("belongs to one source of one session", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await append(store, "t", created());
      const other = { ...cursorAt(7), source: "stream" };
      await setTo(store, "s", cursorAt(10), other);
      await setTo(store, "t", cursorAt(1));
      expect(await store.findCursor("s", PATH)).toEqual(cursorAt(10));
      expect(await store.findCursor("s", "stream")).toEqual(other);
      expect(await store.findCursor("t", PATH)).toEqual(cursorAt(1));
      expect(await store.findCursor("t", "stream")).toBeUndefined();
      expect(await store.findCursor("none", PATH)).toBeUndefined();
    });

    test("may go back, as when its file was written anew", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await setTo(store, "s", cursorAt(10));
      const anew = { ...cursorAt(0), file: null, memory: null };
      await setTo(store, "s", anew);
      expect(await store.findCursor("s", PATH)).toEqual(anew);
    });

    test("alone moves neither row nor version, and rings in no feed", async () => {
      using place = makePlace();
      await using store = place.open();
      const made = await append(store, "s", created());
      const moved = await setTo(store, "s", cursorAt(10));
      expect([moved.row, moved.version, moved.events]).toEqual([made.row, made.version, []]);
      expect(await store.find("s")).toMatchObject({ row: made.row, version: made.version });
      expect((await store.feed(undefined, 10)).events.length).toBe(1);
    });
  });
}

const PATH = "/projects/x/conversation.jsonl";

function cursorAt(byteOffset: number): ReadCursor {
  const file = {
    device: "2049",
    inode: "18446744073709551615",
    sizeBytes: 99,
    mtimeMs: 1,
    headBytes: 64,
    headHash: "ab",
  };
  return { source: PATH, byteOffset, file, memory: { calls: { x: ["Bash", 1, null] }, turn: byteOffset } };
}

const entry = (text: string) => newEvent(entryAdded(text));

async function setTo(store: Store, id: string, ...cursors: readonly ReadCursor[]) {
  return store.change(id, () => ({ events: [], cursors }));
}

/** Sets the cursor, and says where the change found it. */
async function advance(store: Store, byteOffset: number): Promise<number | undefined> {
  let known: number | undefined;
  await store.change("s", (_row, { cursors }) => {
    known = cursors.get(PATH)?.byteOffset;
    return { events: [], cursors: [cursorAt(byteOffset)] };
  });
  return known;
}
