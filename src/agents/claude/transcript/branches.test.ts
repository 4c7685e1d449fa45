import { describe, expect, test } from "vitest";
import type { ClaudeMemory } from "../memory.ts";
import { parseRecord } from "./transcript.ts";

/** A prompt of a person, or an answer of the model, as `UUID<PARENT`. */
function record(place: string): Parameters<typeof parseRecord>[0] {
  const [uuid = "", parent = ""] = place.split("<");
  const parentUuid = parent === "" ? null : parent;
  if (uuid.startsWith("p"))
    return {
      type: "user",
      uuid,
      parentUuid,
      promptSource: "typed",
      message: { role: "user", content: uuid },
    };
  const content = [{ type: "text", text: uuid }];
  return { type: "assistant", uuid, parentUuid, message: { id: uuid, model: "m", content } };
}

/** How many turns each of them takes back. */
function rewindsOf(...places: readonly string[]): number[] {
  let memory: ClaudeMemory = {};
  return places.flatMap((place) => {
    const { rewinds, memory: learned } = parseRecord(record(place), memory);
    memory = { ...memory, ...learned } as ClaudeMemory;
    return place.startsWith("p") ? [rewinds ?? 0] : [];
  });
}

describe("a transcript whose records form a tree", () => {
  test("that goes straight on takes nothing back", () => {
    expect(rewindsOf("p1", "a1<p1", "p2<a1", "a2<p2", "p3<a2")).toEqual([0, 0, 0]);
  });

  test("takes back the turns behind the place where a prompt begins another branch", () => {
    expect(rewindsOf("p1", "a1<p1", "p2<a1", "a2<p2", "p3<a2", "a3<p3", "p4<a1", "p5<p4")).toEqual([
      ...[0, 0, 0],
      ...[2, 0],
    ]);
  });

  test("takes back everything where a prompt has no parent", () => {
    expect(rewindsOf("p1", "a1<p1", "p2<a1", "p3")).toEqual([0, 0, 2]);
  });

  test("takes nothing back where calls side by side branch", () => {
    expect(rewindsOf("p1", "a1<p1", "a2<a1", "r1<a1", "r2<a2", "a3<r2", "p2<a3")).toEqual([0, 0]);
  });

  test("knows a prompt that is read again", () => {
    expect(rewindsOf("p1", "a1<p1", "p2<a1", "a2<p2", "p2<a1", "p3<a2")).toEqual([0, 0, 0, 0]);
  });

  test("takes back no more where a prompt goes on from what was taken back", () => {
    expect(rewindsOf("p1", "a1<p1", "p2<a1", "a2<p2", "p3<a1", "a3<p3", "p4<a2")).toEqual([0, 0, 1, 1]);
  });
});
