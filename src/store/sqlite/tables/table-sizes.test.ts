import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { created, entryAdded } from "../../../testing/events.ts";
import { sqlitePlace } from "../../../testing/sqlite-place.ts";
import { append } from "../../contract/place.ts";
import type { StoredSize } from "../../statistics.ts";
import { tableSizes } from "./table-sizes.ts";

test("the pages of the database are shared out among the kinds of data, and none is left over", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  const before = bytesOf(store.statistics().sizes());
  await append(store, "a", created(), entryAdded("word ".repeat(100_000)));
  const sizes = store.statistics().sizes();
  expect(sizes.some(({ isEstimate }) => isEstimate)).toBe(false);
  const after = bytesOf(sizes);
  expect(after.events).toBeGreaterThan((before.events as number) + 400_000);
  expect([after.samples, after.usage]).toEqual([before.samples, before.usage]);
  using db = opened(place.path);
  expect(sumOf(sizes)).toBe(pageBytes(db));
});

test("kinds that are too large to be looked at whole are estimated, and still add up", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  for (let round = 0; round < 8; round += 1)
    await append(store, `s${round}`, created(), ...Array.from({ length: 250 }, (_, at) => entry(round, at)));
  using db = opened(place.path);
  const exact = bytesOf(tableSizes(db));
  const sizes = tableSizes(db, 40);
  expect(sumOf(sizes)).toBe(pageBytes(db));
  expect(sizes.filter(({ isEstimate }) => isEstimate).map(({ kind }) => kind)).toContain("events");
  const ratio = (bytesOf(sizes).events as number) / (exact.events as number);
  expect([ratio > 0.5, ratio < 2]).toEqual([true, true]);
});

function entry(round: number, at: number) {
  return entryAdded(
    `${"some words ".repeat(50)} ${Array.from({ length: 40 }, (_, n) => `w${round}x${at}x${n}`)}`,
  );
}

function opened(path: string): Database.Database & Disposable {
  const db = new Database(path, { readonly: true });
  return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}

function pageBytes(db: Database.Database): number {
  return (db.pragma("page_count", { simple: true }) as number) * 4096;
}

function bytesOf(sizes: readonly StoredSize[]): Readonly<Record<string, number>> {
  return Object.fromEntries(sizes.map(({ kind, bytes }) => [kind, bytes]));
}

function sumOf(sizes: readonly StoredSize[]): number {
  return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
}
