import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkCall } from "./check-call.ts";
import { OPERATIONS } from "./table.ts";

const ALL = Object.entries(OPERATIONS);

describe.each(ALL)("%s", (name, operation) => {
  test("says in one sentence what it does, and who may ask for it", () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(operation.about).toMatch(/^[A-Z][^\n]*\.$/);
    expect(["read", "input", "admin"]).toContain(operation.scope);
  });

  test("has an input and an output that every door can describe", () => {
    const input = z.toJSONSchema(operation.input, { io: "input" });
    const output = z.toJSONSchema(operation.output, { io: "output" });
    expect(input).toMatchObject({ type: "object", additionalProperties: false });
    expect(output).toMatchObject({ type: "object" });
    expect(JSON.parse(JSON.stringify([input, output]))).toEqual([input, output]);
  });

  test("names everything in snake_case", () => {
    const names = [operation.input, operation.output].flatMap((schema) =>
      propertiesOf(z.toJSONSchema(schema)),
    );
    expect(names.filter((property) => !/^[a-z]+(_[a-z]+)*$/.test(property))).toEqual([]);
  });

  test("refuses what it does not know", () => {
    expect(() => checkCall(name, { surprise: 1 })).toThrow(`The input of ${name} is wrong`);
  });
});

function propertiesOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(propertiesOf)];
}

test("what only reads may be asked by who may only read, and stopping the daemon by its owner alone", () => {
  const scopes = Object.groupBy(ALL, ([, { scope }]) => scope);
  expect(scopes.read?.map(([name]) => name)).toEqual([
    "wait_for_session",
    "get_session_data",
    "explain_session",
    "get_status",
  ]);
  expect(scopes.admin?.map(([name]) => name)).toEqual(["stop_daemon"]);
});

const WRONG: readonly (readonly [operation: string, input: unknown, sentence: RegExp])[] = [
  ["fly", {}, /^There is no operation "fly"\.$/],
  ["constructor", {}, /^There is no operation "constructor"\.$/],
  ["", {}, /^There is no operation ""\.$/],
  ["get_status", undefined, /^The input of get_status is wrong: .*\.$/],
  ["get_status", [], /^The input of get_status is wrong: .*\.$/],
  ["send_input", { session_id: "a" }, /^The input of send_input is wrong at text: .*\.$/],
  ["send_input", { session_id: "", text: "a" }, /^The input of send_input is wrong at session_id: .*\.$/],
  ["send_input", { session_id: 5, text: "a" }, /^The input of send_input is wrong at session_id: .*\.$/],
  ["send_input", { session_id: "a", text: "a".repeat(1_000_001) }, /at text: .*\.$/],
  ["send_keys", { session_id: "a", keys: [] }, /at keys: .*\.$/],
  ["wait_for_session", { session_ids: ["a"], until: ["asleep"] }, /at until\.0: .*\.$/],
  ["wait_for_session", { session_ids: [] }, /at session_ids: .*\.$/],
  ["end_session", { session_id: "a", grace_ms: -1 }, /at grace_ms: .*\.$/],
  ["end_session", { session_id: "a", grace_ms: 1.5 }, /at grace_ms: .*\.$/],
  ["get_session_data", { session_id: "a", max_bytes: 10 }, /at max_bytes: .*\.$/],
  ["start_session", { agent_type: "unknown", args: ["true"], env: { A: 1 }, cwd: "/" }, /at env\.A: .*\.$/],
];

test.each(WRONG)("%s with a wrong input is refused in one sentence (%j)", (operation, input, sentence) => {
  expect(() => checkCall(operation, input)).toThrow(
    expect.objectContaining({ code: "bad_input", message: expect.stringMatching(sentence) }),
  );
});

test("a right input is taken as it is", () => {
  const input = { session_id: "a", text: "b", channel: "api" };
  expect(checkCall("send_input", input)).toEqual({ name: "send_input", input });
});
