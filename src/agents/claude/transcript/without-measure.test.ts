import { expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseTranscript } from "./transcript.ts";

/** The memory after so many lines, and the most that it was. */
function fed(count: number, line: (index: number) => JsonObject) {
  let memory: ClaudeMemory = {};
  let mostChars = 0;
  for (let index = 0; index < count; index++) {
    memory = { ...memory, ...parseTranscript(JSON.stringify(line(index)), memory).memory };
    if (index % 100 === 0) mostChars = Math.max(mostChars, JSON.stringify(memory).length);
  }
  return { memory, mostChars };
}

const timestamp = "2026-01-01T00:00:00.000Z";

test.each(["Bash", "WebSearch"])("of calls of %s without a result only the newest are remembered", (name) => {
  const { memory, mostChars } = fed(2000, (n) => ({
    ...{ type: "assistant", uuid: `u${n}`, timestamp, requestId: `r${n}` },
    message: {
      ...{ id: `m${n}`, model: "m", usage: { input_tokens: 1, output_tokens: 1 } },
      content: [{ type: "tool_use", id: `t${n}`, name, input: {} }],
    },
  }));
  expect(Object.keys(memory.tools ?? {})).toHaveLength(200);
  expect(Object.hasOwn(memory.tools ?? {}, "t1999")).toBe(true);
  expect(mostChars).toBeLessThan(200_000);
});

test("of texts that nobody takes from the queue, and sub-agents that never end, only the newest are remembered", () => {
  const { mostChars } = fed(4000, (n) =>
    n % 2 === 0
      ? { type: "queue-operation", operation: "enqueue", content: "hi", timestamp: `2026-01-01T00:${n}` }
      : {
          ...{ type: "user", uuid: `u${n}`, timestamp, toolUseResult: { isAsync: true, agentId: `a${n}` } },
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: "" }] },
        },
  );
  expect(mostChars).toBeLessThan(50_000);
});
