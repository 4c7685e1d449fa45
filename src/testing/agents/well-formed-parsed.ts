import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import { type Deed, keysIn } from "../../agents/deed.ts";
import type { Parsed } from "../../agents/parsed.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { type AgentTotals, TOTALS_SOURCES } from "../../domain/reported-totals.ts";
import { checkPattern } from "../../domain/screen/screen-rules.ts";
import { WAITING_FOR } from "../../domain/session/state.ts";
import type { Signal, TrustOrder } from "../../domain/supervise/signal.ts";
import { parseInstant } from "../../domain/time.ts";
import { checkEntry } from "../../domain/transcript/entry.ts";
import { checkRequest } from "../../domain/usage.ts";

/** The part of a mode that its parsers are checked against; `Outside` has no host, and so its parsers never reply. */
type Reader = { readonly trust: TrustOrder } & Partial<Pick<Mode, "host" | "sources">>;

/** Checks that the result of a parser can be used as it is. */
export function expectWellFormed(reader: Reader, parsed: Parsed): void {
  const { signal, entries = [], usage = [], identity = {}, memory = {}, taken = [], ...rest } = parsed;
  const {
    transcript = "",
    reply,
    at,
    awaits = "turn",
    isTurnRead = true,
    turn = {},
    child,
    unknown,
    untimedUsage = [],
    totals,
    ...others
  } = rest;
  expect([others, isTurnRead]).toEqual([{}, true]);
  expect(["turn", "hook"]).toContain(awaits);
  for (const text of [transcript, ...taken]) expect(typeof text).toBe("string");
  if (at !== undefined) expect(parseInstant(at)).toBe(at);
  expectMemory(memory);
  if (reply) expectDeed(reader, reply);
  if (signal) expectSignal(reader, signal);
  if (child) expectChild(parsed);
  if (totals) expectTotals(totals);
  if (unknown) expect([typeof unknown.type, isJsonObject(unknown.record)]).toEqual(["string", true]);
  const { over = { result: null, why: null }, isBegun = true } = turn;
  expect([null, "good", "aborted", "failed"]).toContain(over.result);
  expect([typeof (over.why ?? ""), isBegun]).toEqual(["string", true]);
  for (const entry of entries) expect(checkEntry(entry)).toEqual(entry);
  const timed = untimedUsage.map((request) => ({ ...request, at: "2026-11-16T22:00:00.000Z" }));
  for (const request of [...usage, ...timed]) expect(checkRequest(request)).toEqual(request);
  for (const [name, value] of Object.entries(identity)) {
    expect(["nativeId", "model", "agentVersion"]).toContain(name);
    expect(typeof value).toBe("string");
  }
}

/** Checks that the store gives the memory back as it was. */
export function expectMemory(memory: Partial<JsonObject>): void {
  expect(isJsonObject(memory)).toBe(true);
  // The runner's own comparison takes an object with a key "constructor" for one of another class.
  const text = JSON.stringify(memory);
  expect(isDeepStrictEqual(JSON.parse(text), memory), text).toBe(true);
}

/** Checks that the mode can carry the deed out, and that nothing in a text ends its line or paste early. */
export function expectDeed(reader: Reader, deed: Deed): void {
  const { host, sources } = reader;
  switch (deed.via) {
    case "keys":
      expect([host, deed.bytes === ""]).toEqual(["pty", false]);
      for (const { bytes, onScreen } of keysIn(deed)) {
        if (onScreen !== undefined) checkPattern(onScreen);
        expect(bytes.split("\u001b[201~").length).toBeLessThanOrEqual(2);
      }
      break;
    case "lines":
      expect([host === "pty", deed.lines.length === 0 && !deed.closes]).toEqual([false, false]);
      // A text that is read to its end may have empty lines.
      for (const line of deed.lines) expect(line).toMatch(deed.closes ? /^[^\n]*$/ : /^[^\n]+$/);
      if (deed.implies) expectWellFormed(reader, deed.implies);
      break;
    case "http":
      expect(sources?.events).toBeDefined();
      expect(deed.path).toMatch(/^\/[!-~]*$/);
      expect(JSON.parse(JSON.stringify(deed.body ?? null))).toEqual(deed.body ?? null);
      break;
  }
}

/** Each count is whole and not negative, or not said. */
function expectTotals({ source, countsSubagents, total, sinceLast }: AgentTotals): void {
  expect(TOTALS_SOURCES).toContain(source);
  expect(typeof countsSubagents).toBe("boolean");
  expect(total).not.toEqual([]);
  for (const { model, ...counts } of [...total, ...(sinceLast ?? [])]) {
    expect(model === null || typeof model === "string").toBe(true);
    for (const count of Object.values(counts))
      expect(count === null || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
  }
}

/** The words and requests of a sub-agent are its own; nothing of them moves the state of the session. */
function expectChild({ child, memory, at, entries, usage, ...rest }: Parsed): void {
  expect(rest).toEqual({});
  expect(child).toEqual({ nativeId: expect.stringMatching(/./su) });
}

function expectSignal({ trust }: Reader, signal: Signal): void {
  // A signal of a source that is not trusted would be lost, but for one that stands in for those that are silent.
  if (!signal.ifUnreported) expect(trust).toContain(signal.source);
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
