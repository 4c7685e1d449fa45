import { describe, expect, test } from "vitest";
import { created, place, replay, rowAfter, T0, T1, T2 } from "../../testing/events.ts";
import { usageOf } from "./record.ts";
import type { SessionRow } from "./session.ts";
import { STATUSES, statusOf } from "./state.ts";
import { decideUpsert, parseUpsert } from "./upsert.ts";

const CONTEXT = { now: T2, machine: "here", ledgerRequests: 0 };
const refusal = (line: unknown) => {
  try {
    return parseUpsert(line);
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    return { code, message, hint };
  }
};
const upsert = (row: SessionRow | undefined, line: object): SessionRow => {
  const decided = decideUpsert(row, parseUpsert({ id: "s", ...line }), CONTEXT);
  const [first, ...rest] = row ? [{ at: T0, body: { kind: "restored" as const, row } }, ...decided] : decided;
  const events = place([first, ...rest].flatMap((timed) => (timed ? [timed.body] : [])));
  return replay(
    events.map((event, index) => ({ ...event, at: [first, ...rest][index]?.at ?? T0 })),
  ) as SessionRow;
};

describe("a line of upsert", () => {
  test.each([
    [{ prompt_tokens: 1 }, { tokensInput: 1 }],
    [{ completion_tokens: 2 }, { tokensOutput: 2 }],
    [{ reasoning_tokens: 3 }, { tokensReasoning: 3 }],
    [{ cost_cents: 250 }, { costUsd: 2.5 }],
    [{ cost_usd: 2.5 }, { costUsd: 2.5 }],
    [
      { tokens_cache_read: 4, tokens_cache_write: 5, turns: 6 },
      { tokensCacheRead: 4, tokensCacheWrite: 5, turns: 6 },
    ],
    [
      { tokens_input: null, cost_cents: null },
      { tokensInput: null, costUsd: null },
    ],
  ])("reads %o as totals", (line, totals) => {
    expect(parseUpsert({ id: "s", ...line }).totals).toEqual(totals);
  });

  test.each([
    [{ goal_text: "g" }, { goal: "g" }],
    [{ goal: "g" }, { goal: "g" }],
    [
      { model: null, task_id: "t" },
      { model: null, taskId: "t" },
    ],
    [{ agent_type: null }, { agentType: "unknown" }],
    [
      { kind: "acp", channel: "slack", agent_type: "codex" },
      { kind: "acp", channel: "slack", agentType: "codex" },
    ],
    [{ metadata: { snake_key: { camelKey: 1 } } }, { metadata: { snake_key: { camelKey: 1 } } }],
  ])("reads %o as identity", (line, identity) => {
    expect(parseUpsert({ id: "s", ...line }).identity).toEqual(identity);
  });

  test.each([
    ["a key that it does not know", { statuss: "active" }],
    ["a key of the prototype", JSON.parse('{"__proto__": {"a": 1}}')],
    ["an unknown kind", { kind: "batch" }],
    ["no kind at all", { kind: null }],
    ["an unknown channel", { channel: "fax" }],
    ["an unknown agent type", { agent_type: "bot" }],
    ["an unknown status", { status: "done" }],
    ["a negative count", { turns: -1 }],
    ["half a token", { tokens_input: 1.5 }],
    ["a count in quotes", { tokens_input: "1" }],
    ["negative money", { cost_usd: -0.1 }],
    ["endless money", { cost_cents: Number.POSITIVE_INFINITY }],
    ["another offset than UTC", { created_at: "2026-01-08T18:05:30+01:00" }],
    ["text that is no text", { model: 4 }],
    ["metadata that is a list", { metadata: [] }],
  ])("with %s is refused", (_what, line) => {
    expect(refusal({ id: "s", ...line })).toMatchObject({ code: "bad_input" });
  });

  test.each([
    ["without an id", {}, "bad_input"],
    ["with an id outside the rules", { id: "../s" }, "bad_id"],
    ["that is no object", 7, "bad_input"],
    ["that is a list", [{ id: "s" }], "bad_input"],
    ["with too much metadata", { id: "s", metadata: { a: "x".repeat(70_000) } }, "metadata_too_large"],
  ])("%s is refused", (_what, line, code) => {
    expect(refusal(line)).toMatchObject({ code });
  });

  test("that is refused names what is valid", () => {
    expect(refusal({ id: "s", status: "done" })).toMatchObject({ hint: `Valid: ${STATUSES.join(", ")}.` });
    expect(refusal({ id: "s", colour: 1 })).toMatchObject({ hint: expect.stringContaining("cost_cents") });
  });
});

describe("an upsert of a session that is not known", () => {
  test("makes a record that runs by declaration, here and without a file", () => {
    const row = upsert(undefined, { agent_name: "a" });
    expect(row).toMatchObject({
      origin: "upserted",
      state: "running",
      machine: "here",
      hasFile: false,
      createdAt: T2,
    });
  });

  test.each(STATUSES)("can say that it is %s", (status) => {
    expect(statusOf(upsert(undefined, { status }))).toBe(status);
  });

  test("can say when it began and when it was last active", () => {
    const row = upsert(undefined, {
      created_at: T0,
      last_active_at: "2026-01-08T18:15:30+00:00",
      status: "completed",
    });
    expect(row).toMatchObject({ createdAt: T0, startedAt: T0, lastActiveAt: T1, endedAt: T1 });
  });
});

describe("an upsert of a known session", () => {
  const known = rowAfter(created({ identity: { model: "m", goal: "g", metadata: { a: 1 } } }));

  test("leaves alone what it does not name and makes unknown what it says is null", () => {
    expect(upsert(known, { model: null })).toMatchObject({ model: null, goal: "g" });
  });

  test("never changes when it was created", () => {
    expect(upsert(known, { created_at: T1 }).createdAt).toBe(T0);
  });

  test("merges the metadata", () => {
    expect(upsert(known, { metadata: { b: 2 } }).metadata).toEqual({ a: 1, b: 2 });
  });

  test("replaces the totals it names and keeps the others", () => {
    const first = upsert(known, { tokens_input: 10, tokens_output: 1 });
    expect(usageOf(upsert(first, { tokens_input: 4 }))).toMatchObject({
      tokensInput: 4,
      tokensOutput: 1,
      tokensTotal: 5,
    });
  });

  test("with totals is refused where they are counted request by request", () => {
    const line = parseUpsert({ id: "s", turns: 1 });
    expect(() => decideUpsert(known, line, { ...CONTEXT, ledgerRequests: 1 })).toThrow(/request by request/);
  });

  test("takes an earlier last activity from a writer that knows it", () => {
    expect(upsert({ ...known, lastActiveAt: T2 }, { last_active_at: T1 }).lastActiveAt).toBe(T1);
  });

  test("that says again what is so is no change of state", () => {
    const decided = decideUpsert(known, parseUpsert({ id: "s", status: "active" }), CONTEXT);
    expect(decided.map(({ body }) => body.kind)).toEqual(["identified"]);
  });

  test("that says active over an ended record is a new generation", () => {
    const ended = upsert(known, { status: "failed" });
    expect(upsert(ended, { status: "active" })).toMatchObject({
      state: "running",
      generation: 2,
      endedAt: null,
    });
  });

  test("with another status over a final one is refused whole; with the same it is taken", () => {
    const final = rowAfter(created(), {
      kind: "finalized",
      phase: "completed",
      summary: null,
      inHistory: false,
    });
    expect(() => upsert(final, { status: "active", model: "x" })).toThrow(/final/);
    expect(upsert(final, { status: "completed", model: "x" }).model).toBe("x");
  });
});
