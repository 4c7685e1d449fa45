import { describe, expect, test } from "vitest";
import { askContent, askMessages, askResponses, eventsOf } from "./ask.ts";
import { startModelServer } from "./server.ts";

describe("the model server", () => {
  test("holds an answer at a gate until it is opened", async () => {
    await using server = await startModelServer();
    const answer = askMessages(server, { prompt: "[[gate:g]][[text:late]]" });
    await server.asked("g");
    expect(server.requests).toMatchObject([{ outcome: "open", conversationId: "conversation-1" }]);
    server.open("g");
    expect(JSON.stringify(await eventsOf(await answer))).toContain("late");
    expect(server.requests).toMatchObject([{ outcome: "answered", prompt: "[[gate:g]][[text:late]]" }]);
  });

  test("holds an answer in its middle, with what stands before the gate said", async () => {
    await using server = await startModelServer();
    const answer = await askMessages(server, { prompt: "[[text:one]][[gate:g]][[text:two]]" });
    await server.asked("g");
    const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"one"');
    server.open("g");
    await reader.cancel();
  });

  test("knows who has given up waiting", async () => {
    await using server = await startModelServer();
    const patience = new AbortController();
    const answer = askMessages(server, { prompt: "[[gate:g]]", signal: patience.signal });
    await server.asked("g");
    patience.abort();
    await expect(answer).rejects.toThrow(/abort/);
    await expect.poll(() => server.requests[0]?.outcome).toBe("abandoned");
  });

  test("lets a limited number of errors come before success", async () => {
    await using server = await startModelServer();
    const question = { prompt: "[[err:529:2]][[text:at last]]" };
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await askMessages(server, question)).status);
    expect(statuses).toEqual([529, 529, 200]);
    expect((await askResponses(server, { prompt: "[[err:429]]" })).status).toBe(429);
  });

  test.each([askMessages, askResponses, askContent])(
    "cuts a connection in mid-answer, for %o",
    async (ask) => {
      await using server = await startModelServer();
      const question = { prompt: "[[text:half]][[cut:1]][[text:whole]]" };
      const answer = await ask(server, question);
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow(/terminated/);
      expect(await (await ask(server, question)).text()).toContain("whole");
    },
  );

  test("refuses another key, and a prompt that it does not understand", async () => {
    await using server = await startModelServer();
    const wrongKey = await askMessages(server, { prompt: "hello", key: "other" });
    expect([wrongKey.status, await wrongKey.json()]).toMatchObject([
      401,
      { error: { type: "authentication_error" } },
    ]);
    const wrongWord = await askResponses(server, { prompt: "[[nothing:x]]" });
    expect([wrongWord.status, await wrongWord.text()]).toEqual([400, expect.stringContaining("nothing")]);
  });

  test("answers a request without tools shortly, whatever the prompt says", async () => {
    await using server = await startModelServer();
    const answer = await askMessages(server, { prompt: "[[gate:never]]", tools: [], stream: false });
    expect(await answer.json()).toMatchObject({ content: [{ text: "Scripted title" }] });
  });

  test("knows a request for a title by what Codex says of it", async () => {
    await using server = await startModelServer();
    const headers = { "x-codex-turn-metadata": JSON.stringify({ thread_source: "thread_title" }) };
    const answer = await askResponses(server, { prompt: "User prompt: [[gate:never]]", headers });
    expect(await answer.text()).toContain("Scripted title");
    expect(server.requests).toMatchObject([{ isAuxiliary: true }]);
  });

  test("has what the programs look for beside the model", async () => {
    await using server = await startModelServer();
    expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
    const count = await fetch(`${server.url}/v1/messages/count_tokens`, { method: "POST", body: "{}" });
    expect(await count.json()).toEqual({ input_tokens: 1000 });
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404);
  });
});
