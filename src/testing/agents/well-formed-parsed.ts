import { expect } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import { type Deed, keysIn } from "../../agents/deed.ts";
import type { Parsed } from "../../agents/parsed.ts";
import { isJsonObject } from "../../domain/json.ts";
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
    ...others
  } = rest;
  expect([others, isTurnRead]).toEqual([{}, true]);
  expect(["turn", "hook"]).toContain(awaits);
  for (const text of [transcript, ...taken]) expect(typeof text).toBe("string");
  if (at !== undefined) expect(parseInstant(at)).toBe(at);
  expect(isJsonObject(memory)).toBe(true);
  expect(JSON.parse(JSON.stringify(memory))).toStrictEqual(memory);
  if (reply) expectDeed(reader, reply);
  if (signal) expectSignal(reader, signal);
  if (child) expectChild(parsed);
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

/** Checks that the mode can carry the deed out, and that nothing in a text ends its line or paste early. */
export function expectDeed({ host, sources }: Pick<Reader, "host" | "sources">, deed: Deed): void {
  switch (deed.via) {
    case "keys":
      expect([host, deed.bytes === ""]).toEqual(["pty", false]);
      for (const { bytes, onScreen } of keysIn(deed)) {
        if (onScreen !== undefined) checkPattern(onScreen);
        expect(bytes.split("\u001b[201~").length).toBeLessThanOrEqual(2);
      }
      break;
    case "lines":
      expect([host, deed.lines.length === 0]).toEqual(["pipe", false]);
      for (const line of deed.lines) expect(line).toMatch(/^[^\n]+$/);
      break;
    case "http":
      expect(sources?.events).toBeDefined();
      expect(deed.path).toMatch(/^\/[!-~]*$/);
      expect(JSON.parse(JSON.stringify(deed.body ?? null))).toEqual(deed.body ?? null);
      break;
  }
}

/** Nothing of a sub-agent's piece but the memory counts for the session. */
function expectChild({ child, memory, ...rest }: Parsed): void {
  expect(rest).toEqual({});
  expect(child?.nativeId).toEqual(expect.stringMatching(/./su));
  expect(typeof (child?.agentName ?? "")).toBe("string");
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
