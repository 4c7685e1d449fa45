import { expect, test } from "vitest";
import type { Json } from "../../domain/json.ts";
import type { AcpMemory } from "./memory.ts";
import { parseStream } from "./stream.ts";
import { costMemory } from "./usage.ts";

const AT_WORK: AcpMemory = { launch: "abc", session: "s1", cwd: "/project", prompts: 1, prompt: "prompt-1" };
const OPTIONS = [{ optionId: "1", name: "Yes", kind: "allow_once" }];

/** An agent that says so many messages, one after the other. */
function fed(count: number, message: (index: number) => Json) {
  let memory = AT_WORK;
  let mostChars = 0;
  let replies = 0;
  const texts: string[] = [];
  const params: Json[] = [];
  for (let index = 0; index < count; index += 1) {
    const parsed = parseStream(JSON.stringify(message(index)), memory);
    memory = { ...memory, ...parsed.memory };
    mostChars = Math.max(mostChars, JSON.stringify(memory).length);
    texts.push(...(parsed.entries ?? []).map(({ text }) => text ?? ""));
    params.push(...(parsed.entries ?? []).map(({ tool }) => tool?.params ?? null));
    if (parsed.reply !== undefined) replies += 1;
  }
  return { memory, mostChars, texts, params, replies };
}

function update(fields: Json): Json {
  return { method: "session/update", params: { sessionId: "s1", update: fields } };
}

test("a message without end is kept in entries of 64 KiB, cut behind a line", () => {
  const text = `${"x".repeat(99)}\n`;
  const { memory, mostChars, texts } = fed(5000, () =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
  );
  expect(mostChars).toBeLessThan(70_000);
  expect(texts.length).toBe(7);
  expect([...texts, memory.part?.text].join("\n").length).toBe(5000 * 100);
});

test("of calls that are never ended only the newest are remembered, without what is large of them", () => {
  const { memory, mostChars, texts } = fed(2000, (index) =>
    update({
      ...{ sessionUpdate: "tool_call", toolCallId: `c${index}`, title: "t", status: "in_progress" },
      rawInput: { text: "x".repeat(index === 1999 ? 1_000_000 : 10) },
    }),
  );
  expect([Object.keys(memory.calls ?? {}).length, texts.length]).toEqual([100, 2000]);
  expect(mostChars).toBeLessThan(50_000);
});

test("a request beyond a hundred open ones is refused", () => {
  const { memory, replies } = fed(250, (id) => {
    const toolCall = { toolCallId: `c${id}`, title: "t", rawInput: {} };
    return {
      id,
      method: "session/request_permission",
      params: { sessionId: "s1", toolCall, options: OPTIONS },
    };
  });
  expect([memory.pending?.length, replies]).toEqual([100, 150]);
});

test("a request keeps little of large parameters, for the transcript has them", () => {
  const { memory, mostChars, texts } = fed(40, (id) => {
    const toolCall = {
      toolCallId: `c${id}`,
      title: "t",
      rawInput: { text: "x".repeat(1_000_000), path: "/a" },
    };
    return {
      id,
      method: "session/request_permission",
      params: { sessionId: "s1", toolCall, options: OPTIONS },
    };
  });
  expect([memory.pending?.length, texts.length]).toEqual([40, 40]);
  expect(memory.pending?.at(-1)?.input).toEqual({ text: `${"x".repeat(4096)}…`, path: "/a" });
  expect(mostChars).toBeLessThan(400_000);
});

test("a request with an id that is too long, or too many options, does not fill the memory", () => {
  const many = Array.from({ length: 10_000 }, (_, n) => ({
    optionId: `${n}`,
    kind: "allow_once",
    name: "Yes",
  }));
  const ask = (id: string, name: string) => ({
    ...{ id, method: "session/request_permission" },
    params: { toolCall: { toolCallId: "c", title: "t" }, options: [{ ...many[0], name }, ...many] },
  });
  const { memory, mostChars, replies } = fed(2, (n) =>
    n === 0 ? ask("x".repeat(1_000_000), "Yes") : ask("1", "Yes".repeat(1_000_000)),
  );
  expect([memory.pending?.length, replies]).toEqual([1, 1]);
  expect(mostChars).toBeLessThan(50_000);
});

test("large calls that are open at once are told with their parameters, and kept without", () => {
  const { memory, mostChars, params } = fed(100, (index) =>
    update({
      ...{ sessionUpdate: "tool_call", toolCallId: `c${index}`, title: "t", status: "pending" },
      rawInput: { text: "x".repeat(200_000) },
    }),
  );
  expect(Object.keys(memory.calls ?? {}).length).toBe(100);
  expect(mostChars).toBeLessThan(1_500_000);
  // Those that are kept whole are told once they begin.
  expect(params.filter((one) => JSON.stringify(one).length > 200_000).length).toBeGreaterThan(90);
});

test("a cost of -0 is 0", () => {
  expect(Object.is(costMemory({ cost: { amount: -0, currency: "USD" } }).cost, 0)).toBe(true);
});
