import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { append } from "../../store/contract/place.ts";
import { created } from "../../testing/events.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { TranscriptCursor } from "./transcript-cursor.ts";

const MEMORY = { endedMs: 7 };

async function place() {
  const [folder, stores] = [tempFolder(), sqlitePlace()];
  const store = stores.open();
  await append(store, "s", created());
  const path = join(folder.path, "transcript");
  writeFileSync(path, "one\ntwo\n");
  return {
    path,
    store,
    cursor: () => new TranscriptCursor({ id: "s", context: { store } }, path),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      for (const each of [folder, stores]) each[Symbol.dispose]();
    },
  };
}

test("a transcript that nobody has read is read from the beginning", async () => {
  await using at = await place();
  expect(await at.cursor().restore()).toEqual({ from: 0, memory: null });
});

test("a cursor that was kept is found again with what was remembered, also when the file has grown", async () => {
  await using at = await place();
  const first = at.cursor();
  first.passed(4);
  await first.keep(MEMORY);
  appendFileSync(at.path, "three\n");
  expect(await at.cursor().restore()).toEqual({ from: 4, memory: MEMORY });
});

test("a cursor stands before the line that is being read", async () => {
  await using at = await place();
  const cursor = at.cursor();
  expect(cursor.before(MEMORY)).toEqual([]);
  cursor.passed(4);
  expect(cursor.before(MEMORY)).toMatchObject([{ source: at.path, byteOffset: 4, memory: MEMORY }]);
});

test.each([
  ["replaced by another", (path: string) => replace(path, "one\nand another\n")],
  ["replaced by one with the same words", (path: string) => replace(path, "one\ntwo\n")],
  ["cut", (path: string) => truncateSync(path, 3)],
  ["written anew", (path: string) => writeFileSync(path, "ONE\nTWO\n")],
])("a transcript that was %s is read from the beginning", async (_, change) => {
  await using at = await place();
  const first = at.cursor();
  first.passed(4);
  await first.keep(MEMORY);
  change(at.path);
  expect(await at.cursor().restore()).toEqual({ from: 0, memory: null });
});

test("a long transcript that was cut behind its head is read from the beginning", async () => {
  await using at = await place();
  writeFileSync(at.path, "a long line\n".repeat(1000));
  const first = at.cursor();
  for (const offset of [12, 12_000]) {
    first.passed(offset);
    await first.keep(null);
  }
  truncateSync(at.path, 6000);
  expect(await at.cursor().restore()).toEqual({ from: 0, memory: null });
});

test("a cursor is kept once for each place", async () => {
  await using at = await place();
  const cursor = at.cursor();
  await cursor.keep(null);
  expect(await at.store.findCursor("s", at.path)).toBeUndefined();
  cursor.passed(4);
  await cursor.keep({ endedMs: 1 });
  await cursor.keep({ endedMs: 2 });
  expect(await at.cursor().restore()).toEqual({ from: 4, memory: { endedMs: 1 } });
});

test("a cursor that was restored goes on from its place", async () => {
  await using at = await place();
  const first = at.cursor();
  first.passed(4);
  await first.keep(MEMORY);
  const second = at.cursor();
  await second.restore();
  expect(second.before(null)).toMatchObject([{ byteOffset: 4 }]);
  second.passed(8);
  await second.keep(null);
  expect(await at.cursor().restore()).toEqual({ from: 8, memory: null });
});

test("a transcript that is gone gives no cursor", async () => {
  await using at = await place();
  const cursor = at.cursor();
  renameSync(at.path, `${at.path}.old`);
  cursor.passed(4);
  expect(cursor.before(null)).toEqual([]);
});

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
