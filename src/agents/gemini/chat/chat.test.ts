import { join } from "node:path";
import { expect, test } from "vitest";
import { replay } from "../../../testing/agents/replay.ts";
import type { GeminiMemory } from "../memory.ts";
import { isEmptyChat, isOwnChat, isWord, parseChat, parseChatBeside, turnAtRest } from "./chat.ts";

const SAMPLE = join(import.meta.dirname, "..", "samples", "chat-terminal.jsonl");
const AT = "2026-11-18T20:00:00.000Z";

/** Parses records, with the memory that those before them leave. */
function parseAll(...records: readonly object[]) {
  let memory: GeminiMemory = {};
  const parsed = records.map((record) => {
    const one = parseChat(JSON.stringify(record), memory);
    memory = { ...memory, ...one.memory };
    return one;
  });
  return { parsed, memory };
}

const said = (text: string, id = "u") => ({ id, timestamp: AT, type: "user", content: [{ text }] });
const answer = (fields: object) => ({
  id: "a",
  timestamp: AT,
  type: "gemini",
  model: "m",
  content: "",
  ...fields,
});
const call = (status: string, response: object = {}) => ({
  id: "c1",
  name: "run_shell_command",
  args: { command: "ls" },
  status,
  result: [{ functionResponse: { response } }],
});

test("a real conversation gives each text, call and result once, though it is written again after a cancel", () => {
  const results = replay(SAMPLE, parseChat);
  const entries = results.flatMap(({ entries = [] }) => entries);
  expect(entries.map(({ kind, text, tool }) => [kind, text ?? tool?.name])).toEqual([
    ["text", "[[tool:touch a && echo one; echo two]]"],
    ["tool_call", "run_shell_command"],
    ["tool_result", "run_shell_command"],
    ["text", "done"],
    ["text", '[[call:write_file {"file_path":"new.txt","content":"hello\\nworld\\n"}]]'],
    ["tool_call", "write_file"],
    ["tool_result", "write_file"],
    ["text", "[[ask:Which one?|A|B]]"],
    ["tool_call", "ask_user"],
    ["tool_result", "ask_user"],
    ["text", "[[gate:fq]]"],
    ["text", "[[text:queued]]"],
    ["text", "queued"],
  ]);
  expect(new Set(results.flatMap(({ usage = [] }) => usage).map(({ requestKey }) => requestKey)).size).toBe(
    5,
  );
});

test("a real conversation tells where its turns begin and which of them were cancelled", () => {
  const marks = replay(SAMPLE, parseChat).flatMap(({ turn }) => (turn ? [turn] : []));
  const cancelled = { over: { result: "aborted", why: null } };
  const begun = { isBegun: true };
  expect(marks).toEqual([
    begun,
    { over: { result: "good", why: null }, isBegun: true },
    ...[cancelled, begun, cancelled, begun, cancelled, begun],
  ]);
});

test("an answer that is written again with its calls adds only what is new", () => {
  const thoughts = [{ subject: "Plan", description: "look" }];
  const { parsed } = parseAll(
    answer({ content: "I look.", thoughts }),
    answer({ content: "I look.", thoughts, toolCalls: [call("executing")] }),
    answer({ content: "I look.", thoughts, toolCalls: [call("error", { error: "no" })] }),
  );
  expect(parsed.map(({ entries = [] }) => entries.map(({ kind }) => kind))).toEqual([
    ["thinking", "text"],
    ["tool_call"],
    ["tool_result"],
  ]);
  expect(parsed[2]?.entries?.[0]?.tool).toEqual({
    name: "run_shell_command",
    callId: "c1",
    result: "no",
    isError: true,
  });
});

test("an answer without an id has its words, and no request that could be counted once", () => {
  const { parsed } = parseAll(answer({ id: "", content: "said", tokens: { input: 1, output: 1, total: 2 } }));
  expect(parsed[0]?.entries).toMatchObject([{ text: "said" }]);
  expect(parsed[0]?.usage).toBeUndefined();
});

test("an error is the reason of a failed turn, and a later text begins the next one", () => {
  const { parsed } = parseAll(
    said("one"),
    { id: "e", timestamp: AT, type: "error", content: "[API Error: 400]" },
    said("two", "v"),
  );
  expect(parsed[1]).toMatchObject({
    signal: { says: "ready", inTurn: "failed", excerpt: "[API Error: 400]", fillsGap: true },
    turn: { over: { result: "failed", why: "[API Error: 400]" } },
    isTurnRead: true,
  });
  expect(parsed[2]?.turn).toEqual({ isBegun: true });
});

test("a conversation that rests after an answer went well, and one in the middle of a tool says nothing", () => {
  expect(turnAtRest(parseAll(said("one"), answer({ content: "hi" })).memory)).toEqual({
    result: "good",
    why: null,
  });
  const inTool = parseAll(said("one"), answer({ toolCalls: [call("executing")] })).memory;
  expect(turnAtRest(inTool)).toBeUndefined();
});

test("a text that is written again for a new history is no new one", () => {
  const context = said("<session_context>\nwhere we are", "x");
  const { parsed } = parseAll(
    said("one"),
    context,
    said("one", "v"),
    { $set: { messages: [] } },
    said("two", "w"),
  );
  expect(parsed.map(({ taken }) => taken)).toEqual([["one"], undefined, undefined, undefined, ["two"]]);
});

test("the first text behind the context with which a conversation begins counts", () => {
  const { parsed } = parseAll(said("<session_context>\nwhere we are", "x"), said("one"));
  expect(parsed[1]?.taken).toEqual(["one"]);
});

test("a rewind ends the turn before it, as it went", () => {
  const rewind = { $rewindTo: "u" };
  expect(parseAll(said("one"), answer({ content: "hi" }), rewind).parsed[2]?.turn).toEqual({
    over: { result: "good", why: null },
  });
  expect(parseAll(said("one"), rewind).parsed[1]?.turn).toEqual({ over: { result: null, why: null } });
  expect(parseAll(rewind).parsed[0]?.turn).toBeUndefined();
});

test("beside a stream only what the model did counts", () => {
  const parsed = parseChatBeside(JSON.stringify(said("one")), {});
  expect([parsed.entries, parsed.signal, parsed.turn, parsed.taken]).toEqual(Array(4).fill(undefined));
  expect(parseChatBeside(JSON.stringify(answer({ content: "hi" })), {}).entries).toHaveLength(1);
});

test.each([
  [{ sessionId: "s", kind: "main" }, "s", true],
  [{ sessionId: "s" }, undefined, true],
  [{ sessionId: "other", kind: "main" }, "s", false],
  [{ sessionId: "s", kind: "subagent" }, "s", false],
  [{ id: "m", type: "user" }, "s", false],
])("a file that begins with %j is of the conversation %s: %s", (head, nativeId, isOwn) => {
  expect(isOwnChat(JSON.stringify(head), nativeId)).toBe(isOwn);
});

test.each([
  ["without a time", { id: "u", type: "user", content: [{ text: "go" }] }],
  ["without an id", { timestamp: AT, type: "user", content: [{ text: "go" }] }],
])("a record %s says nothing", (_, record) => {
  expect(parseAll(record).parsed).toEqual([{}]);
});

test("results of tools are no text of a person, and keep the turn open", () => {
  const results = {
    ...said("", "r"),
    content: [{ functionResponse: { id: "c1", response: { output: "x" } } }],
  };
  const { parsed, memory } = parseAll(said("go"), answer({ content: "done" }), results);
  expect(parsed.at(-1)).toEqual({ at: AT, memory: { turn: "open" } });
  expect(turnAtRest(memory)).toBeUndefined();
});

test.each([
  ["open", [said("go")], true],
  ["answered", [said("go"), answer({ content: "done" })], true],
  ["over", [said("go"), { id: "i", timestamp: AT, type: "info", content: "Request cancelled." }], false],
] as const)("an error ends the turn where that is %s", (_, before, isEnd) => {
  const error = { id: "e", timestamp: AT, type: "error", content: "quota" };
  const last = parseAll(...before, error).parsed.at(-1);
  expect(last?.turn).toEqual(isEnd ? { over: { result: "failed", why: "quota" } } : undefined);
  expect(last?.signal?.says).toBe("ready");
});

test("beside a stream the file adds what the model and its tools said, and no words of a person or of Gemini", () => {
  const lines = [said("go"), answer({ content: "done", toolCalls: [call("success", { output: "x" })] })];
  const entries = lines.flatMap((line) => parseChatBeside(JSON.stringify(line), {}).entries ?? []);
  expect(new Set(entries.map(({ role }) => role))).toEqual(new Set(["assistant", "tool"]));
  const error = { id: "e", timestamp: AT, type: "error", content: "quota" };
  expect(parseChatBeside(JSON.stringify(error), {})).not.toHaveProperty("entries");
});

test("an answer names its model where that is another one than before", () => {
  const { parsed } = parseAll(
    answer({ content: "a" }),
    answer({ id: "b", content: "b" }),
    answer({ id: "c", model: "large", content: "c" }),
  );
  expect(parsed.map(({ identity }) => identity)).toEqual([{ model: "m" }, undefined, { model: "large" }]);
});

test("an answer may be the end of its turn, and one that calls a tool is none", () => {
  const { parsed } = parseAll(answer({ content: "a" }), answer({ id: "b", toolCalls: [call("executing")] }));
  expect(parsed.map(({ isTurnRead }) => isTurnRead)).toEqual([true, undefined]);
});

test("the end of a failed turn and that of a cancelled one have rules of their own", () => {
  const over = (type: string, content: string) =>
    parseAll(said("one"), { id: "e", timestamp: AT, type, content });
  expect(over("error", "[API Error: 400]").parsed[1]?.signal).toMatchObject({ rule: "chat_error" });
  expect(over("info", "Request cancelled.").parsed[1]?.signal).toMatchObject({ rule: "chat_cancelled" });
});

test("a file of heads alone is an empty conversation, and a word makes it one", () => {
  const head = JSON.stringify({ sessionId: "s", projectHash: "p", startTime: AT });
  const word = JSON.stringify(said("hello"));
  expect([isWord(head), isWord(word)]).toEqual([false, true]);
  expect([isEmptyChat(`${head}\n`), isEmptyChat(`${head}\n${word}\n`)]).toEqual([true, false]);
});

test("the call of a sub-agent says which one is done, once it is over", () => {
  const task = (status: string) => ({ ...call(status), agentId: "helper-1" });
  const done = (...calls: readonly object[]) =>
    parseAll(answer({ toolCalls: calls })).parsed[0]?.doneChildren;
  expect(done(task("success"))).toEqual(["helper-1"]);
  expect(done(task("executing"))).toBeUndefined();
  expect(done(call("success"))).toBeUndefined();
});
