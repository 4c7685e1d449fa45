import { expect, test, vi } from "vitest";
import { autonomous as gemini } from "../../agents/gemini/autonomous/mode.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { codeOf } from "../../store/contract/place.ts";
import { END, launched, PAUSE, said } from "../../testing/carried.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { AGENT, atPrompt, BY_CLI, begun, carry, controls } from "../../testing/session/input-place.ts";
import { holderOf } from "../../testing/session/ports.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { Delivery } from "../delivery/delivery.ts";

test("a text is recorded, with the turn that it begins, before it is delivered", async () => {
  await using at = await atPrompt();
  const { session, input } = at;
  const seen: unknown[] = [];
  session.delivery.deliver = async (deed) => {
    session.delivered.add(deed);
    seen.push((await session.row())?.turn);
  };
  const { turn, isQueued } = await input.say("send", "hello", BY_CLI);
  expect([turn, isQueued]).toEqual([1, false]);
  expect(session.delivered.all).toEqual([{ via: "lines", lines: ["hello"] }]);
  expect(seen).toMatchObject([{ number: 1, state: "pending", givenAt: expect.any(String) }]);
  expect(session.observed.all.slice(-2)).toMatchObject([
    { saw: "text_given", by: "send", text: "hello", isCommand: false },
    { saw: "text_written" },
  ]);
  expect(session.asked.all).toContain("find transcript");
});

test("behind a text that the agent keeps, one that is given at its prompt is queued, too", async () => {
  await using at = await atPrompt();
  const taken = Promise.withResolvers<void>();
  at.input.keep(() => taken.promise);
  expect(await at.input.say("send", "second", BY_CLI)).toMatchObject({ turn: null, isQueued: true });
  taken.resolve();
  await idle();
  expect(await at.input.say("send", "third", BY_CLI)).toMatchObject({ turn: 1, isQueued: false });
});

test("a text for a session without a holder is refused, and nothing is recorded", async () => {
  await using at = await atPrompt();
  Object.assign(at.session, holderOf({}));
  const before = await at.session.row();
  expect(await codeOf(at.input.say("send", "hello", BY_CLI))).toBe("wrong_state");
  expect(await codeOf(at.input.give("keys", { via: "keys", bytes: "y" }, "1 key", null))).toBe("wrong_state");
  expect([await at.session.row(), at.session.delivered.all]).toEqual([before, []]);
});

test("a text for a session that is being ended is refused", async () => {
  await using at = await atPrompt();
  await at.session.observe(END);
  expect(await codeOf(at.input.say("send", "hello", BY_CLI))).toBe("wrong_state");
  expect(at.session.delivered.all).toEqual([]);
});

test("a text that the agent has no way of its own for is typed as its host types it", async () => {
  await using at = await atPrompt({
    ...AGENT,
    mode: { ...AGENT.mode, controls: { ...controls, say: () => undefined } },
  });
  const screen = await screenShowing("\u001b[?2004h");
  at.session.screen.now = async () => screen as never;
  await at.input.say("send", "one line", BY_CLI);
  await at.input.say("send", "two\nlines", BY_CLI);
  expect(at.session.delivered.all).toEqual([
    { via: "keys", bytes: "one line", more: ["\r"] },
    { via: "keys", bytes: "\u001b[200~two\nlines\u001b[201~", more: ["\r"] },
  ]);
});

test("a text is an entry of its own where the output is the transcript", async () => {
  const capabilities = { ...AGENT.mode?.capabilities, outputIsTranscript: true };
  await using spoken = await atPrompt({ ...AGENT, mode: { ...AGENT.mode, capabilities } });
  await spoken.input.say("send", "hello", BY_CLI);
  expect(await spoken.session.said()).toEqual(["user: hello"]);
  await using written = await atPrompt();
  await written.input.say("send", "hello", BY_CLI);
  expect(await written.session.said()).toEqual([]);
});

test("a text that nobody has taken after 10 s is given up", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  await pass(9999);
  expect((await at.session.row())?.turn).toMatchObject({ state: "pending" });
  await pass(1);
  await at.session.observed.through((each) => each.saw === "text_not_taken");
  await idle();
  expect((await at.session.row())?.turn).toMatchObject({ state: "done", error: "not_delivered" });
  await pass(60_000);
  expect(at.session.observed.all.filter(({ saw }) => saw === "text_not_taken")).toEqual([
    { saw: "text_not_taken", turn: 1, afterMs: 10_000 },
  ]);
});

test("a text that is written slowly is given up 10 s after it was written", async () => {
  await using at = await atPrompt();
  const written = Promise.withResolvers<void>();
  const begins = Promise.withResolvers<void>();
  at.session.delivery.deliver = () => {
    begins.resolve();
    return written.promise;
  };
  const said = at.input.say("send", "hello", BY_CLI);
  await begins.promise;
  await pass(15_000);
  await idle();
  expect(at.session.observed.all.map(({ saw }) => saw)).not.toContain("text_not_taken");
  written.resolve();
  await said;
  await pass(9999);
  await idle();
  expect(at.session.observed.all.map(({ saw }) => saw)).not.toContain("text_not_taken");
  await pass(1);
  await at.session.observed.through((each) => each.saw === "text_not_taken");
  await idle();
});

test("a text that was taken is not given up", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  await at.session.observe(said("working"));
  expect(vi.getTimerCount()).toBe(0);
});

test("a daemon that comes back gives a text up 10 s after it was given", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  at.input.stop();
  vi.setSystemTime(Date.now() + 6000);
  const second = carry(at.place);
  second.input.follow((await second.session.row()) as SessionRow);
  await pass(3999);
  expect(second.session.observed.all).toEqual([]);
  await pass(1);
  expect(await second.session.observed.first(1)).toMatchObject([{ saw: "text_not_taken" }]);
  await idle();
});

test("a wall clock that was set back does not keep a text from being given up", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  at.input.stop();
  vi.setSystemTime(Date.now() - 3_600_000);
  const second = carry(at.place);
  second.input.follow((await second.session.row()) as SessionRow);
  await pass(10_000);
  expect(await second.session.observed.first(1)).toMatchObject([{ saw: "text_not_taken" }]);
  await idle();
});

test("a text of a session that is paused is not given up meanwhile", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  await at.session.observe(PAUSE);
  expect(vi.getTimerCount()).toBe(0);
});

test("a text that an agent reads once it has come up is not given up while it loads", async () => {
  await using at = await begun({ mode: gemini, launch: { tellsTurns: true, hasPrompt: true, host: "pipe" } });
  const { session, input } = at;
  session.delivery = new Delivery(session);
  await session.observe(launched(true));
  await input.say("prompt", "hello", BY_CLI);
  expect(vi.getTimerCount()).toBe(0);
  expect((await session.row())?.turn).toMatchObject({ number: 1, state: "running" });
});

test("an input that is stopped gives nothing up", async () => {
  await using at = await atPrompt();
  await at.input.say("send", "hello", BY_CLI);
  at.input.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test("one sender comes after the other, each with the row as it is then", async () => {
  await using at = await atPrompt();
  const first = Promise.withResolvers<void>();
  const steps: string[] = [];
  const one = at.input.inTurn(async (row) => {
    steps.push(`one ${row.state}`);
    await first.promise;
    await at.session.observe(END);
  });
  const two = at.input.inTurn(async (row) => void steps.push(`two ${row.state}`));
  await idle();
  expect(steps).toEqual(["one waiting_input"]);
  first.resolve();
  await Promise.all([one, two]);
  expect(steps).toEqual(["one waiting_input", "two stopping"]);
});

test("a sender to a session that is gone is refused", async () => {
  await using at = await atPrompt();
  at.session.row = async () => undefined;
  expect(await codeOf(at.input.inTurn(async () => {}))).toBe("session_not_found");
});

/** An agent that has shown its prompt, and is to be given its first text. */
