import { describe, expect, test } from "vitest";
import { askMessages, askResponses, eventsOf } from "./ask.ts";
import { startModelServer } from "./server.ts";

const USAGE = "[[usage:in=100,out=20,cacheRead=3000,cacheWrite=400,reasoning=7]]";

describe("Anthropic Messages", () => {
  test("streams text, thinking and calls as blocks of one message", async () => {
    await using server = await startModelServer();
    const events = await eventsOf(
      await askMessages(server, { prompt: `[[think:hm]][[drip:2:1]][[tool:ls]]${USAGE}` }),
    );
    expect(events.map(({ type }) => type).filter((type) => !type.endsWith("delta"))).toEqual([
      "message_start",
      ...Array.from({ length: 3 }, () => ["content_block_start", "content_block_stop"]).flat(),
      "message_stop",
    ]);
    expect(events.flatMap(({ delta }) => delta ?? [])).toMatchObject([
      { thinking: "hm" },
      { signature: "scripted" },
      { text: "word1 " },
      { text: "word2 " },
      { partial_json: '{"command":"ls","description":"Scripted command"}' },
      { stop_reason: "tool_use" },
    ]);
    expect(events[0]).toMatchObject({
      message: {
        usage: { input_tokens: 100, cache_read_input_tokens: 3000, cache_creation_input_tokens: 400 },
      },
    });
    expect(events.at(-2)).toMatchObject({ usage: { output_tokens: 20 } });
  });

  test("gives a message in one piece to who wants no stream", async () => {
    await using server = await startModelServer();
    const answer = await askMessages(server, { prompt: "[[text:a]][[ask:Which?|A|B]]", stream: false });
    const question = { question: "Which?", options: [{ label: "A" }, { label: "B" }] };
    expect(await answer.json()).toMatchObject({
      content: [{ text: "a" }, { name: "AskUserQuestion", input: { questions: [question] } }],
      stop_reason: "tool_use",
      usage: { output_tokens: 20 },
    });
  });

  test("closes a turn after tool results, and tells an error in mid-answer", async () => {
    await using server = await startModelServer();
    const closing = await eventsOf(await askMessages(server, { prompt: "[[tool:ls]]", rounds: 1 }));
    expect(closing).toContainEqual(expect.objectContaining({ delta: { type: "text_delta", text: "done" } }));
    const broken = await eventsOf(await askMessages(server, { prompt: "[[text:a]][[err:529]]" }));
    expect(broken.at(-1)).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
  });
});

describe("OpenAI's Responses", () => {
  test("streams reasoning, text and calls as items, and ends with the usage", async () => {
    await using server = await startModelServer();
    const prompt = `[[think:hm]][[text:a]][[risky:ls]][[call:apply_patch "*** Begin"]]${USAGE}`;
    const events = await eventsOf(await askResponses(server, { prompt }));
    const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
    expect(items).toMatchObject([
      { type: "reasoning", summary: [{ text: "hm" }] },
      { type: "message", content: [{ text: "a" }] },
      {
        type: "function_call",
        name: "exec_command",
        arguments: expect.stringContaining("require_escalated"),
      },
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin" },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        usage: {
          input_tokens: 3500,
          input_tokens_details: { cached_tokens: 3000 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 7 },
        },
      },
    });
  });

  test("closes a turn after tool results, and tells an error in mid-answer", async () => {
    await using server = await startModelServer();
    const closing = await askResponses(server, { prompt: "[[tool:ls]][[then:bye]]", rounds: 1 });
    expect(await closing.text()).toContain('"delta":"bye"');
    const broken = await eventsOf(await askResponses(server, { prompt: "[[text:a]][[err:500]]" }));
    expect(broken.at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "server_error" } },
    });
  });

  test("calls from a script where the program offers its tools only there", async () => {
    await using server = await startModelServer();
    const additional = {
      type: "additional_tools",
      tools: [{ name: "functions", tools: [{ name: "exec" }, { name: "wait" }] }],
    };
    const question = { prompt: '[[tool:ls]][[call:wait {"cell_id":"1"}]]', tools: [], input: [additional] };
    const events = await eventsOf(await askResponses(server, question));
    const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
    expect(items).toMatchObject([
      { type: "custom_tool_call", name: "exec", input: 'text(await tools.exec_command({"cmd":"ls"}));' },
      { type: "function_call", name: "wait", arguments: '{"cell_id":"1"}' },
    ]);
  });
});
