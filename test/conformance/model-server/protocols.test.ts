import { describe, expect, test } from "vitest";
import { askChat, askContent, askMessages, askResponses, eventsOf } from "./ask.ts";
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

describe("Google's generateContent", () => {
  const partsOf = (event: object) =>
    (event as { candidates?: [{ content: { parts: object[] } }] }).candidates?.[0].content.parts ?? [];

  test("streams thoughts, text and calls as parts, and ends with the usage", async () => {
    await using server = await startModelServer();
    const prompt = `[[think:hm]][[drip:2:1]][[tool:ls]][[ask:Which?|A|B]]${USAGE}`;
    const events = await eventsOf(await askContent(server, { prompt }));
    expect(events.flatMap(partsOf)).toMatchObject([
      { text: "hm", thought: true },
      { text: "word1 " },
      { text: "word2 " },
      { functionCall: { name: "run_shell_command", args: { command: "ls" } } },
      { functionCall: { name: "ask_user", args: { questions: [{ question: "Which?" }] } } },
      { text: "" },
    ]);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: 3500,
        cachedContentTokenCount: 3000,
        candidatesTokenCount: 13,
        thoughtsTokenCount: 7,
        totalTokenCount: 3520,
      },
    });
  });

  test("gives an answer in one piece to a request of the program itself, whatever the prompt says", async () => {
    await using server = await startModelServer();
    const answer = await askContent(server, { prompt: "[[gate:never]]", stream: false, tools: [] });
    expect(await answer.json()).toMatchObject({
      candidates: [{ content: { parts: [{ text: "Scripted title" }] } }],
    });
    expect(server.requests).toMatchObject([{ isAuxiliary: true, model: "m" }]);
  });

  test("routes a prompt as Gemini CLI asks for it", async () => {
    await using server = await startModelServer();
    const prompt = "[[gate:never]] Respond with complexity_score";
    const answer = await askContent(server, { prompt, stream: false, tools: [] });
    const [{ text }] = partsOf((await answer.json()) as object) as [{ text: string }];
    expect(JSON.parse(text)).toMatchObject({ complexity_score: 50 });
  });

  test("closes a turn after tool results, and tells an error at once and in mid-answer", async () => {
    await using server = await startModelServer();
    const closing = await askContent(server, { prompt: "[[tool:ls]][[then:bye]]", rounds: 1 });
    expect(await closing.text()).toContain('"text":"bye"');
    const refused = await askContent(server, { prompt: "[[err:429]]" });
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "scripted error 429" } },
    ]);
    const broken = await eventsOf(await askContent(server, { prompt: "[[text:a]][[err:503]]" }));
    expect(broken.at(-1)).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } });
  });
});

describe("OpenAI's chat completions", () => {
  test("streams reasoning, text and calls, and ends with the usage", async () => {
    await using server = await startModelServer();
    const response = await askChat(server, { prompt: `[[think:hm]][[text:a]][[tool:ls]]${USAGE}` });
    const text = await response.clone().text();
    const events = await eventsOf(response);
    const choices = events.flatMap(({ choices }) => choices as object[]);
    expect(choices).toMatchObject([
      { delta: { reasoning_content: "hm" } },
      { delta: { content: "a" } },
      { delta: { tool_calls: [{ function: { name: "bash", arguments: expect.stringContaining("ls") } }] } },
      { finish_reason: "tool_calls" },
    ]);
    expect(events.at(-1)).toMatchObject({
      usage: {
        prompt_tokens: 3500,
        prompt_tokens_details: { cached_tokens: 3000 },
        completion_tokens: 20,
        completion_tokens_details: { reasoning_tokens: 7 },
      },
    });
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("closes a turn after tool results, and tells errors at once and in mid-answer", async () => {
    await using server = await startModelServer();
    const closing = await askChat(server, { prompt: "[[tool:ls]][[then:bye]]", rounds: 1 });
    expect(await closing.text()).toContain('"content":"bye"');
    const refused = await askChat(server, { prompt: "[[err:400]]" });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: "scripted error 400" } },
    ]);
    const broken = await eventsOf(await askChat(server, { prompt: "[[text:a]][[err:500]]" }));
    expect(broken.at(-1)).toMatchObject({ error: { message: "scripted error 500" } });
    await expect(
      askChat(server, { prompt: "[[text:a]][[cut]]" }).then((cut) => cut.text()),
    ).rejects.toThrow();
    const wrong = await askChat(server, { prompt: "[[text:a]]", key: "wrong" });
    expect(wrong.status).toBe(401);
  });

  test("is a turn with tools, and something else without", async () => {
    await using server = await startModelServer();
    await askChat(server, { prompt: "[[text:a]]", headers: { "x-session-id": "c1" } });
    await askChat(server, { prompt: "[[text:a]]", tools: [] });
    expect(server.requests).toMatchObject([
      { isAuxiliary: false, tools: ["bash"], prompt: "[[text:a]]" },
      { isAuxiliary: true, tools: [] },
    ]);
  });
});
