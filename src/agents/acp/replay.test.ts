import { describe, expect, test } from "vitest";
import type { Json } from "../../domain/json.ts";
import type { Parsed } from "../parsed.ts";
import type { AcpMemory } from "./memory.ts";
import { parseStream } from "./stream.ts";

const LATE = { repeatsBehindLoad: true } as const;
const LOADING: AcpMemory = { opening: "session/load", continues: { nativeId: "s1", how: "resume" } };

/** Parses these messages one after the other. */
function conversation(memory: AcpMemory) {
  let known = memory;
  return (message: object): Parsed<AcpMemory> => {
    const parsed = parseStream(JSON.stringify({ jsonrpc: "2.0", ...message }), known, LATE);
    known = { ...known, ...parsed.memory };
    return parsed;
  };
}

const opened = (more: object = {}) => ({
  id: "open",
  result: { modes: { currentModeId: "yolo" }, ...more },
});
const word = (text: string) => ({
  method: "session/update",
  params: {
    sessionId: "s1",
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  },
});
const settled = { id: "settle", result: {} };

function asked({ reply }: Parsed): Json | undefined {
  return reply?.via === "lines" ? JSON.parse(reply.lines[0] ?? "null") : undefined;
}

describe("an agent that repeats the old conversation behind the answer to a load", () => {
  test("is ready once no old word has come between two answers", () => {
    const parse = conversation(LOADING);
    const first = parse(opened());
    expect(first.signal).toBeUndefined();
    expect(asked(first)).toMatchObject({
      method: "session/set_mode",
      params: { sessionId: "s1", modeId: "yolo" },
    });
    expect(parse(word("old"))).not.toHaveProperty("entries");
    const again = parse(settled);
    expect([again.signal, asked(again)]).toEqual([undefined, asked(first)]);
    expect(parse(settled)).toMatchObject({ signal: { says: "ready", rule: "session_loaded" } });
    expect(parse(word("new")).memory?.part).toMatchObject({ text: "new" });
    expect(parse(settled)).toEqual({});
  });

  test("chooses its model before", () => {
    const parse = conversation({ ...LOADING, wantedModel: "m" });
    const models = { availableModels: [{ modelId: "m" }], currentModelId: "other" };
    expect(asked(parse(opened({ models })))).toMatchObject({ method: "session/set_model" });
    parse(word("old"));
    expect(asked(parse({ id: "model", result: {} }))).toMatchObject({ method: "session/set_mode" });
    expect(parse(settled)).toMatchObject({ signal: { says: "ready" } });
  });

  test("that does not know the request has answered, too", () => {
    const parse = conversation(LOADING);
    parse(opened());
    expect(parse({ id: "settle", error: { code: -32601, message: "?" } })).toMatchObject({
      signal: { says: "ready" },
    });
  });

  test("has no old words in a new conversation, or where its load was refused", () => {
    const fresh = conversation({ opening: "session/new" });
    expect(fresh({ id: "open", result: { sessionId: "s1" } })).toMatchObject({ signal: { says: "ready" } });
    const refused = conversation(LOADING);
    expect(refused({ id: "open", error: { code: -1, message: "gone" } })).toMatchObject({
      signal: { says: "asking", asked: { for: "dialog" } },
    });
  });
});
