import { expect, test } from "vitest";
import type { AcpMemory } from "../../acp/memory.ts";
import type { OpencodeMemory } from "../memory.ts";
import { acp } from "./mode.ts";

type Known = AcpMemory & OpencodeMemory;

const OPEN: Known = { launch: "abc", session: "ses_1", native: "ses_1", children: ["ses_2"] };

function answered(sessionID: string) {
  const tokens = { input: 100, output: 13, reasoning: 7, cache: { read: 3000, write: 0 } };
  const time = { created: 1, completed: 2 };
  const info = { id: "msg_1", sessionID, role: "assistant", time, tokens, cost: 0.001, modelID: "m" };
  const data = JSON.stringify({ type: "message.updated", properties: { info } });
  return acp.sources.events?.parse({ id: null, name: "message", data }, OPEN);
}

test("an answer that is complete is one request, and nothing else of its event counts", () => {
  const parsed = answered("ses_1");
  expect(parsed?.usage).toMatchObject([{ tokensInput: 100, tokensOutput: 20, tokensCacheRead: 3000 }]);
  expect([parsed?.entries, parsed?.signal, parsed?.reply]).toEqual([undefined, undefined, undefined]);
});

test("an answer of a sub-agent is its own", () => {
  expect(answered("ses_2")).toEqual({ child: { nativeId: "ses_2" } });
});

test("the usage that the protocol tells is left out, for it is that of the last request alone", () => {
  const result = { stopReason: "end_turn", usage: { inputTokens: 100, outputTokens: 13 } };
  const line = JSON.stringify({ jsonrpc: "2.0", id: "prompt-1", result });
  const parsed = acp.sources.stream?.parse(line, { ...OPEN, prompts: 1, prompt: "prompt-1" });
  expect([parsed?.signal, parsed?.untimedUsage]).toMatchObject([{ turn: "good" }, undefined]);
});

function missed(memory: Known) {
  const tokens = { input: 100, output: 13, reasoning: 7, cache: { read: 3000, write: 0 } };
  const info = {
    id: "msg_1",
    sessionID: "ses_1",
    role: "assistant",
    time: { created: 1, completed: 2 },
    tokens,
  };
  return acp.sources.events?.catchUp?.[0]?.parse(
    [{ info: { ...info, cost: 0.001, modelID: "m" }, parts: [] }],
    memory,
  );
}

test("a first turn that is over before its server answers is counted from the conversation", () => {
  const parsed = missed({ ...OPEN, opening: "session/new" });
  expect(parsed?.usage).toMatchObject([{ tokensInput: 100, tokensCacheRead: 3000 }]);
  expect(missed({ ...OPEN, opening: "session/load" })?.usage).toHaveLength(1);
});

test("copies in a fork whose server did not answer before are not counted", () => {
  expect(missed({ ...OPEN, opening: "session/fork" })?.usage ?? []).toEqual([]);
});
