import { expect, test } from "vitest";
import { happened, newEvent, REQUEST, seen } from "../../testing/events.ts";
import { shownSession } from "../../testing/records.ts";
import type { EventBody, FeedEvent } from "../session/event.ts";
import type { SessionRecord } from "../session/session.ts";
import type { State } from "../session/state.ts";
import { isNews, newState, waitingForAfter } from "./news.ts";
import { AT_PROMPT } from "./signal.ts";

const BY_PATTERN = happened("at_prompt", {
  evidence: { source: "screen", rule: "wait_pattern", excerpt: null },
});
const AT_REST = { ...AT_PROMPT, since: REQUEST.since };
const TURN = { number: 1, state: "done", outcome: null } as const;

/** A session that stands as the event left it, but for what is given. */
function isNewsOf(body: EventBody, given: Partial<SessionRecord> = {}): boolean {
  const event = { ...newEvent(body), sessionId: "s", seq: 2, position: 2 } as unknown as FeedEvent;
  const state = newState(event.body) ?? "running";
  return isNews(event, shownSession({ state, ...given }));
}

test.each([
  ["stopped", true],
  ["failed", true],
  ["unknown", true],
  ["running", false],
  ["stopping", false],
  ["paused", false],
  ["resuming", false],
] as [State, boolean][])("an event that leads to %s is worth a notification: %s", (state, isWorth) => {
  expect(isNewsOf(seen(state))).toBe(isWorth);
});

test("a request is worth a notification before any turn, and of an autonomous session too", () => {
  const asked = happened("asked");
  expect(isNewsOf(asked, { waiting: REQUEST, turn: null })).toBe(true);
  expect(isNewsOf(asked, { waiting: REQUEST, turn: null, kind: "autonomous" })).toBe(true);
});

test("a prompt is worth a notification after a turn alone, and of an interactive session alone", () => {
  const prompt = happened("at_prompt");
  const turn = TURN as SessionRecord["turn"];
  expect(isNewsOf(prompt, { waiting: AT_REST, turn: null })).toBe(false);
  expect(isNewsOf(prompt, { waiting: AT_REST, turn })).toBe(true);
  expect(isNewsOf(prompt, { waiting: AT_REST, turn, kind: "autonomous" })).toBe(false);
});

test("a prompt that the user's own pattern shows is worth a notification without a turn", () => {
  expect(isNewsOf(BY_PATTERN, { waiting: AT_REST, turn: null })).toBe(true);
  expect(isNewsOf(BY_PATTERN, { waiting: AT_REST, turn: null, kind: "autonomous" })).toBe(false);
});

test("an event that the session has left behind is not worth a notification", () => {
  expect(isNewsOf(happened("asked"), { state: "running", waiting: null })).toBe(false);
  expect(isNewsOf(seen("stopped"), { state: "resuming" })).toBe(false);
});

test("the end of a session that Rollcall does not carry is not worth a notification", () => {
  expect(isNewsOf(seen("stopped"), { origin: "observed" })).toBe(false);
});

test("an event that leads to no state is not worth a notification", () => {
  const body: EventBody = { kind: "updated", phase: "approval" };
  expect(newState(body)).toBeUndefined();
  expect(isNewsOf(body)).toBe(false);
});

test.each([
  ["at_prompt", happened("at_prompt"), "prompt"],
  ["asked", happened("asked"), "permission"],
  [
    "continued into its request",
    happened("continued", { state: "waiting_input", waiting: REQUEST }),
    "permission",
  ],
  ["continued into its work", happened("continued"), null],
  ["at_work", happened("at_work"), null],
  ["ended", seen("stopped"), null],
] as const)("after %s a session waits for its reason alone", (_, body, waitingFor) => {
  expect(waitingForAfter(body)).toBe(waitingFor);
});
