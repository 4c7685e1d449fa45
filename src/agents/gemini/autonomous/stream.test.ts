import { join } from "node:path";
import { expect, test } from "vitest";
import { replay, signalsOf } from "../../../testing/agents/replay.ts";
import { controls } from "./controls.ts";
import { parseStream } from "./stream.ts";

const sample = (name: string) => replay(join(import.meta.dirname, "..", "samples", name), parseStream);

test("a run with a tool begins with its text and ends well", () => {
  const results = sample("stream-tool.jsonl");
  expect(signalsOf(results)).toEqual(["working", "ready good"]);
  expect(results.flatMap(({ taken = [] }) => taken)).toHaveLength(1);
  expect(results[0]?.identity?.nativeId).toMatch(/^[\da-f-]{36}$/);
});

test("a run that the provider refused ends as a failed turn, with the reason", () => {
  const results = sample("stream-error.jsonl");
  expect(signalsOf(results)).toEqual(["working", "ready failed"]);
  expect(results.at(-1)?.entries?.[0]?.text).toContain("scripted error 400");
});

test("its one text closes the input behind it, and nothing else is offered", () => {
  const to = { nativeId: null, memory: {} };
  expect(controls.say(to, "one\n\ntwo")).toMatchObject({
    via: "lines",
    lines: ["one", "", "two"],
    closes: true,
  });
  expect([controls.interrupt(to), controls.stop(to)]).toEqual([undefined, undefined]);
});
