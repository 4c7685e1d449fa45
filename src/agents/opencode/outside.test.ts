import { expect, test } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { outside } from "./outside.ts";

const said = (info: JsonObject, text = "words") =>
  outside.sources.transcript?.parse(
    JSON.stringify({
      ...{ type: "message", id: "msg_1", info },
      parts: text === "" ? [] : [{ id: "prt_1", data: { type: "text", text, time: { start: 1, end: 2 } } }],
    }),
    {},
  ).signal;

const ANSWER = { role: "assistant", time: { created: 1, completed: 2 } };

test.each<[string, JsonObject, object]>([
  ["a text", { role: "user", time: { created: 1 } }, { says: "working" }],
  ["an answer that calls a tool", { ...ANSWER, finish: "tool-calls" }, { says: "working" }],
  ["the last answer of a turn", { ...ANSWER, finish: "stop" }, { says: "ready", turn: "good" }],
  [
    "an answer that was interrupted",
    { ...ANSWER, error: { name: "MessageAbortedError", data: { message: "x" } } },
    { says: "ready", turn: "aborted" },
  ],
  [
    "an answer that failed",
    { ...ANSWER, error: { name: "APIError", data: { message: "no" } } },
    { says: "ready", turn: "failed", excerpt: "no" },
  ],
])("%s in the database tells what a session of OpenCode outside does", (_, info, signal) => {
  expect(said(info)).toMatchObject(signal);
});

test("a text that OpenCode adds by itself says nothing of a session outside", () => {
  expect(said({ role: "user", time: { created: 1 } }, "")).toBeUndefined();
});

test("a server of OpenCode may work in any folder, and a terminal in its own", () => {
  expect(outside.rows?.worksAnywhere(["opencode", "serve", "--port", "1"])).toBe(true);
  expect(outside.rows?.worksAnywhere(["/usr/bin/opencode"])).toBe(false);
  expect(outside.rows?.worksAnywhere(["opencode", "-s", "ses_1"])).toBe(false);
});
