import { expect, test } from "vitest";
import { entriesOf, turnsOf } from "../../../testing/agents/replay.ts";
import { subagents } from "./subagents.ts";

test("a sub-agent of OpenCode is a row with a parent, which is named where that is a sub-agent itself", () => {
  const row = { id: "ses_c", parent_id: "ses_p", agent: "general", title: "helper", time_created: 1000 };
  const known = {
    nativeId: "ses_c",
    agentName: "general",
    purpose: "helper",
    beganAt: "1970-01-01T00:00:01.000Z",
  };
  expect(subagents.ofRow({ ...row, depth: 1 })).toEqual(known);
  expect(subagents.ofRow({ ...row, depth: 2 })).toEqual({ ...known, parentNativeId: "ses_p" });
  expect(subagents.ofRow({ ...row, id: null })).toBeUndefined();
});

test("a sub-agent of OpenCode has the words and the turn of its messages", () => {
  const message = (id: string, info: object, text: string) =>
    JSON.stringify({
      ...{ type: "message", id, info },
      parts: [{ id: `${id}p`, data: { type: "text", text, time: { start: 1, end: 2 } } }],
    });
  const lines = [
    message("1", { role: "user", time: { created: 1 } }, "help"),
    message("2", { role: "assistant", time: { created: 2, completed: 3 }, finish: "stop" }, "helped"),
  ];
  const results = lines.map((line) => subagents.parse(line, {}));
  expect(entriesOf(results)).toEqual(["user text: help", "assistant text: helped"]);
  expect(turnsOf(results)).toEqual(["begun", "over good"]);
});
