import { describe, expect, test } from "vitest";
import { decideLineage, type TracedFile } from "./lineage.ts";

/** Records by key, a minute apart by the digit in it; `-1` has no key, `-` no time either, `~1` a weak key, `a1/m` is a part of the answer `m`. */
function file(nativeId: string, records: string, more: Partial<TracedFile> = {}): TracedFile {
  const traced = records.split(" ").map((record, index) => {
    const [key = "", answer] = record.split("/");
    const minute = /\d/u.exec(key)?.[0];
    const timed = minute === undefined ? {} : { at: `2026-01-01T00:0${minute}:00.000Z` };
    const named = key.startsWith("-") ? {} : { key };
    const weak = key.startsWith("~") ? { isWeak: true } : {};
    return { ...named, ...weak, ...(answer === undefined ? {} : { answer }), ...timed, offset: index + 1 };
  });
  return { source: nativeId, nativeId, records: traced, ...more };
}

function lineageOf(...files: readonly TracedFile[]): Record<string, [copiedTo: number, from: string | null]> {
  const [there, back] = [files, files.toReversed()].map((order) =>
    Object.fromEntries(
      decideLineage(order).map(({ source, copiedTo, forkedFrom }) => [source, [copiedTo, forkedFrom]]),
    ),
  );
  expect(there).toEqual(back);
  return there as Record<string, [number, string | null]>;
}

describe("the lineage of files with common records", () => {
  test("makes a file the origin that another one contains", () => {
    expect(lineageOf(file("z", "a1 a2"), file("a", "a1 a2 b3"))).toEqual({ z: [0, null], a: [2, "z"] });
  });

  test("makes no file the origin that another one contains, if that has more from before its end", () => {
    const found = lineageOf(file("z", "a1 -2 a3 a6"), file("a", "a1 a3"));
    expect(found).toEqual({ z: [0, null], a: [2, "z"] });
  });

  test("makes a file the origin that began to go on apart before the other one", () => {
    const found = lineageOf(file("z", "a1 a2 a3"), file("a", "a1 b4"));
    expect(found).toEqual({ z: [0, null], a: [1, "z"] });
  });

  test("knows an origin that went on later by a record that is never copied", () => {
    const found = lineageOf(file("z", "-1 a1 a5"), file("a", "a1 b4"));
    expect(found).toEqual({ z: [0, null], a: [1, "z"] });
  });

  test("knows an origin that went on later by a record without a key and a time between those of the copy", () => {
    const found = lineageOf(file("z", "a1 - a2 a5"), file("a", "a1 a2 - b4"));
    expect(found).toEqual({ z: [0, null], a: [2, "z"] });
  });

  test("knows an origin that went on later by what a helper of it answered", () => {
    const helper = (name: string, records: string, origin: string) =>
      file(name, records, { origin, isHelper: true });
    const found = lineageOf(
      ...[file("z", "a1 a2/m a6"), file("a", "a1 a2/m b4")],
      ...[helper("h", "h2 h3/n", "z"), helper("i", "i1 i2/m i5/o", "a")],
    );
    expect(found).toMatchObject({ z: [0, null], a: [2, "z"] });
  });

  test("takes no record without a time before or behind the copies for one of the origin", () => {
    const found = lineageOf(file("z", "- a1 a2 - b5"), file("a", "a1 a2 a4"));
    expect(found).toEqual({ z: [3, "a"], a: [0, null] });
  });

  test("gives a record without a time before all copies no age", () => {
    const found = lineageOf(file("z", "- a1 a3"), file("a", "- a1 -2 a3 a6"));
    expect(found).toEqual({ z: [3, "a"], a: [0, null] });
  });

  test("follows forks of a fork, of which each is contained in the next", () => {
    const found = lineageOf(file("z", "a1 x2 a3"), file("m", "a1 a3 b4"), file("a", "a1 a3 b4 c5"));
    expect(found).toEqual({ z: [0, null], m: [2, "z"], a: [3, "m"] });
  });

  test("never takes a helper for the origin of its session, however old its copies are", () => {
    const helper = file("a", "a1 h2/m h4", { origin: "z", isHelper: true });
    const found = lineageOf(file("z", "a1 a2/m a3/m"), helper);
    expect(found).toEqual({ z: [0, null], a: [2, "z"] });
  });

  test("knows the copies of a helper by the answers alone, where all else has names of its own", () => {
    const helper = file("a", "h1 h2/m h3 h4/n h5", { origin: "z", isHelper: true });
    const found = lineageOf(file("z", "a1 a2/m a3"), helper);
    expect(found).toEqual({ z: [0, null], a: [2, "z"] });
  });

  test("takes no file for a copy of one that it neither names nor shares a record with, though sums agree", () => {
    expect(lineageOf(file("z", "~1 a2"), file("a", "~1 b3"))).toEqual({ z: [0, null], a: [0, null] });
    expect(lineageOf(file("z", "~1 a2"), file("a", "~1 b3", { origin: "z" }))).toMatchObject({ a: [1, "z"] });
    expect(lineageOf(file("z", "a1 ~2 a3"), file("a", "a1 ~2 b4"))).toMatchObject({ a: [2, "z"] });
  });

  test("puts all files of a session before those that name it as their origin", () => {
    const fork = file("a", "-1 a2 d8", { origin: "z" });
    const found = lineageOf(file("z", "-1 a2 b5 b6", { source: "y" }), file("z", "c9"), fork);
    expect(found).toMatchObject({ y: [0, null], z: [0, null], a: [2, "z"] });
  });

  test("takes the rest of an answer for the helper's own whose other file ends in the middle of it", () => {
    const helper = (source: string, records: string) =>
      file("h", records, { source, origin: "z", isHelper: true });
    const found = lineageOf(file("z", "a1/k"), helper("x", "h1 h2/m"), helper("y", "h1 h2/m h3/m"));
    expect(found).toMatchObject({ x: [0, "z"], y: [2, "z"] });
  });

  test("takes a short copy of a fork in another folder neither for the origin nor for the fork of it", () => {
    const copy = file("b", "a1 a2", { source: "x" });
    const found = lineageOf(file("z", "a1 a2 a3 a6"), copy, file("b", "a1 a2 a3 b7"));
    expect(found).toMatchObject({ z: [0, null], x: [2, "z"], b: [3, "z"] });
  });

  test("takes a text at the end of a helper's file for a copy where its other file tells that", () => {
    const helper = (source: string, records: string) =>
      file("h", records, { source, origin: "z", isHelper: true });
    const session = file("z", "a1 a2/m a3 a4/n");
    const found = lineageOf(session, helper("x", "h1 h2/m h3"), helper("y", "h1 h2/m h3 h4/n h7 h8/o"));
    expect(found).toMatchObject({ x: [3, "z"], y: [4, "z"] });
  });

  test("lets no turn go on behind a record that the session of a helper has too", () => {
    const helper = (source: string, records: string) =>
      file("h", records, { source, origin: "z", isHelper: true });
    const short = helper("x", "a1 h2/m a3 h4/n");
    const found = decideLineage([
      file("z", "a1 a2/m a3 a4/n a5"),
      ...[short, helper("y", "a1 h2/m a3 h4/n a5 h6 h7/o")],
    ]);
    expect(found.find(({ source }) => source === "y")).toMatchObject({ copiedTo: 5, isOwnCopy: false });
  });

  test("dates a session by the answers of a helper that lies in two folders", () => {
    const helper = (source: string) => file("h", "h2 h3/n", { source, origin: "z", isHelper: true });
    const found = lineageOf(file("z", "a1 a2/m a6"), file("a", "a1 a2/m b4"), helper("x"), helper("y"));
    expect(found).toMatchObject({ z: [0, null], a: [2, "z"] });
  });

  test.each([
    ["h1/m", "h1/m h2/n h5/o", false],
    ["h1/m h5/o", "h1/m h5/o h6", true],
  ])("tells copies of the session from those of the helper's other file: %s, %s", (first, second, isOwn) => {
    const helper = (source: string, records: string) =>
      file("h", records, { source, origin: "z", isHelper: true });
    const found = decideLineage([file("z", "a1/m a2/n"), helper("x", first), helper("y", second)]);
    expect(found.find(({ source }) => source === "y")).toMatchObject({ copiedTo: 2, isOwnCopy: isOwn });
  });
});
