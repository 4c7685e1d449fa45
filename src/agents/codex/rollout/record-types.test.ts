import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { sortRecord } from "./record-types.ts";
import { parseRollout } from "./rollout.ts";

const event = (payload: JsonObject) => ({ type: "event_msg", payload });
const item = (type: string) => event({ type: "item_completed", item: { type } });

describe("a record of Codex's rollout", () => {
  test.each<[JsonObject, string, string]>([
    [{ type: "session_meta", payload: {} }, "known", "session_meta"],
    [event({ type: "token_count" }), "known", "event_msg/token_count"],
    [event({ type: "exec_command_end" }), "noise", "event_msg/exec_command_end"],
    [event({ type: "new" }), "unknown", "event_msg/new"],
    [item("UserMessage"), "known", "event_msg/item_completed/UserMessage"],
    [item("New"), "unknown", "event_msg/item_completed/New"],
    [{ type: "response_item", payload: { type: "message" } }, "noise", "response_item/message"],
    [
      { type: "response_item", payload: { type: "local_shell_call" } },
      "unknown",
      "response_item/local_shell_call",
    ],
    [{ type: "compacted" }, "noise", "compacted"],
    [{ type: "new" }, "unknown", "new"],
  ])("is sorted by its type and what is below it: %j is %s", (record, is, type) => {
    expect(sortRecord(record)).toEqual({ type, is });
  });

  test("is kept as it is where it is unknown", () => {
    const line = { timestamp: "2026-01-01T00:00:00.000Z", ...event({ type: "new", words: "hello" }) };
    expect(parseRollout(JSON.stringify(line), {}).unknown).toEqual({ type: "event_msg/new", record: line });
  });
});
