import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { sortRecord } from "./record-types.ts";
import { parseTranscript } from "./transcript.ts";

const message = (...types: string[]) => ({ message: { content: types.map((type) => ({ type })) } });

describe("a record of Claude Code's transcript", () => {
  test.each<[JsonObject, string, string]>([
    [{ type: "user", message: { content: "hello" } }, "known", "user"],
    [{ type: "assistant", ...message("text", "tool_use") }, "known", "assistant"],
    [{ type: "assistant", ...message("text", "new_block") }, "unknown", "assistant/new_block"],
    [{ type: "system", subtype: "turn_duration" }, "known", "system/turn_duration"],
    [{ type: "system", subtype: "stop_hook_summary" }, "noise", "system/stop_hook_summary"],
    [{ type: "system", subtype: "new" }, "unknown", "system/new"],
    [{ type: "attachment", attachment: { type: "queued_command" } }, "known", "attachment/queued_command"],
    [{ type: "attachment", attachment: { type: "new" } }, "unknown", "attachment/new"],
    [{ type: "queue-operation", operation: "new" }, "unknown", "queue-operation/new"],
    [{ type: "mode" }, "noise", "mode"],
    [{ type: "new" }, "unknown", "new"],
    [{}, "unknown", ""],
  ])("is sorted by its type and what is below it: %j is %s", (record, is, type) => {
    expect(sortRecord(record)).toEqual({ type, is });
  });

  test("is kept whole where only a block of it is unknown, whose other blocks are parsed", () => {
    const content = [
      { type: "text", text: "hello" },
      { type: "new_block", data: 1 },
    ];
    const line = { type: "assistant", uuid: "u", message: { id: "m", model: "opus", content } };
    const { entries, unknown } = parseTranscript(JSON.stringify(line), {});
    expect(entries).toMatchObject([{ text: "hello" }]);
    expect(unknown).toEqual({ type: "assistant/new_block", record: line });
  });
});
