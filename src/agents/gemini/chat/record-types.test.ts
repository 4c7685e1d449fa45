import { expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { parseChat } from "./chat.ts";
import { sortRecord } from "./record-types.ts";

test.each<[JsonObject, string, string]>([
  [{ type: "user", content: [] }, "known", "user"],
  [{ type: "new" }, "unknown", "new"],
  [{ $set: { messages: [] } }, "known", "$set"],
  [{ $rewindTo: "id" }, "known", "$rewindTo"],
  [{ sessionId: "id" }, "known", "head"],
  [{}, "unknown", "unnamed"],
])("a line of Gemini CLI is sorted by its type, or by what it changes: %j is %s", (record, is, type) => {
  expect(sortRecord(record)).toEqual({ type, is });
});

test("a line of a type that is not known is kept as it is", () => {
  const record = { id: "x", timestamp: "2026-11-18T20:00:00.000Z", type: "new", content: "words" };
  expect(parseChat(JSON.stringify(record), {}).unknown).toEqual({ type: "new", record });
});
