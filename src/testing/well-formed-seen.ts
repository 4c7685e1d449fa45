import { expect } from "vitest";
import type { Agent, Seen } from "../agents/agent.ts";
import { isJsonObject } from "../domain/json.ts";
import { WAITING_FOR } from "../domain/session/state.ts";
import type { Signal } from "../domain/supervise/signal.ts";
import { parseInstant } from "../domain/time.ts";
import { checkEntry } from "../domain/transcript/entry.ts";
import { checkRequest } from "../domain/usage.ts";

/** Whether what a parser told can be used as it is. */
export function expectWellFormed(agent: Agent, seen: Seen): void {
  const { signal, entries = [], usage = [], identity = {}, notes = {}, taken = [], ...rest } = seen;
  const {
    transcript = "",
    reply = "\n",
    at,
    awaits = "turn",
    isTurnRead = true,
    turn = {},
    ...others
  } = rest;
  expect([others, isTurnRead]).toEqual([{}, true]);
  expect(["turn", "hook"]).toContain(awaits);
  for (const text of [transcript, reply, ...taken, ...Object.values(notes)])
    expect(typeof text).toBe("string");
  if (at !== undefined) expect(parseInstant(at)).toBe(at);
  expect(reply.endsWith("\n")).toBe(true);
  if (signal) expectSignal(agent, signal);
  const { over = { result: null, why: null }, isBegun = true } = turn;
  expect([null, "good", "aborted", "failed"]).toContain(over.result);
  expect([typeof (over.why ?? ""), isBegun]).toEqual(["string", true]);
  for (const entry of entries) expect(checkEntry(entry)).toEqual(entry);
  for (const request of usage) expect(checkRequest(request)).toEqual(request);
  for (const [name, value] of Object.entries(identity)) {
    expect(["nativeId", "model", "agentVersion"]).toContain(name);
    expect(typeof value).toBe("string");
  }
}

/** Of a source that counts for this agent; a word of any other would be lost. */
function expectSignal(agent: Agent, signal: Signal): void {
  expect(agent.capabilities.kinds.flatMap((kind) => agent.trust(kind))).toContain(signal.source);
  expect(signal.rule).toMatch(/^[a-z][a-z0-9_]*$/);
  expect(signal.excerpt === null || typeof signal.excerpt === "string").toBe(true);
  expect(["loading", "working", "ready", "asking"]).toContain(signal.says);
  if (signal.says === "ready" && signal.turn !== undefined)
    expect(["good", "aborted", "failed"]).toContain(signal.turn);
  if (signal.says === "ready" && signal.inTurn !== undefined)
    expect(["good", "aborted", "failed"]).toContain(signal.inTurn);
  if (signal.says !== "asking") return;
  const { for: what, requestId, tool, input, question, options } = signal.asked;
  expect(WAITING_FOR).toContain(what);
  for (const text of [requestId, tool, question])
    expect(text === null || typeof text === "string").toBe(true);
  expect(input === null || isJsonObject(input)).toBe(true);
  expect(options === null || options.every((option) => typeof option === "string")).toBe(true);
}
