import { expect, test } from "vitest";
import { interactive } from "../../agents/scripted/interactive/mode.ts";
import { codeOf } from "../../store/contract/place.ts";
import { END, launched, PAUSE, said } from "../../testing/carried.ts";
import { entryAdded } from "../../testing/events.ts";
import { idle, pass, settle, useFakeTime } from "../../testing/session/fake-time.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { sessionPlace } from "../../testing/session/test-session.ts";
import type { Daemon } from "../daemon.ts";
import { Delivery } from "../delivery/delivery.ts";
import { EventHub } from "../feed/event-hub.ts";
import { Input } from "../session/input.ts";
import { answerRequest } from "./answer.ts";
import { interruptSession } from "./interrupt.ts";
import { sendInput } from "./send.ts";

const TAKEN_MS = 10_000;

useFakeTime();

/** An agent in a terminal that shows what it is told to, and takes nothing. */
async function deafAgent() {
  const place = await sessionPlace({ mode: interactive, launch: { tellsTurns: true } });
  const session = place.daemon();
  const terminal = { shown: "" };
  session.screen = { now: () => screenShowing(terminal.shown), changed: () => {} };
  session.delivery = new Delivery(session);
  const input = new Input(session);
  session.follow = (row) => input.follow(row);
  const hub = new EventHub();
  await hub.begin(place.rollcall, session.log);
  const carried = Object.assign(session, { input });
  const services = { rollcall: place.rollcall, context: place.context, log: session.log, hub };
  const daemon = { hub, services, get: () => carried } as unknown as Daemon;
  for (const each of [launched(), said("good")]) await session.observe(each);
  return {
    ...{ session, terminal, daemon, typed: session.connection.sent },
    send: (text = "hello?") =>
      codeOf(sendInput(daemon, { sessionId: "s", text }, new AbortController().signal)),
    approve: () => codeOf(answerRequest(daemon, { sessionId: "s", answer: "approve" })),
    inputs: async () =>
      (await place.context.store.events("s")).flatMap(({ body }) =>
        body.kind === "input_given" ? [body.by] : [],
      ),
    [Symbol.asyncDispose]: async () => {
      input.stop();
      await idle();
      await hub.end();
      await place[Symbol.asyncDispose]();
    },
  };
}

test("a text that an agent at its prompt does not take within 10 s is an error", async () => {
  await using at = await deafAgent();
  const { value, tookMs } = await settle(at.send());
  expect(value).toBe("not_delivered");
  expect(tookMs).toBeGreaterThanOrEqual(TAKEN_MS);
  expect(tookMs).toBeLessThan(TAKEN_MS + 200);
  expect([await at.inputs(), at.typed.all.length]).toEqual([["send"], 1]);
});

test("a text that a busy agent does not take is an error within 12 s", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("working"));
  const { value, tookMs } = await settle(at.send());
  expect(value).toBe("not_delivered");
  expect(tookMs).toBeGreaterThanOrEqual(TAKEN_MS);
  expect(tookMs).toBeLessThan(TAKEN_MS + 2200);
});

test("a request in the middle of a turn is no sign that a text which waits was taken", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("working"));
  const sent = at.send();
  await at.typed.first(1);
  await at.session.observe(said("permission"));
  expect((await settle(sent)).value).toBe("not_delivered");
});

test.each([
  ["a pause", PAUSE],
  ["an end", END],
])("%s that someone else asks for is no sign that a text was taken", async (_, asked) => {
  await using at = await deafAgent();
  const sent = at.send();
  await at.typed.first(1);
  await at.session.observe(asked);
  expect((await settle(sent)).value).toBe("not_delivered");
});

test.each([
  ["works", async (at: Awaited<ReturnType<typeof deafAgent>>) => at.session.observe(said("working"))],
  ["asks", async (at: Awaited<ReturnType<typeof deafAgent>>) => at.session.observe(said("permission"))],
  [
    "has it in its transcript",
    async (at: Awaited<ReturnType<typeof deafAgent>>) =>
      at.session.append([entryAdded("hello?", { role: "user" })]),
  ],
  [
    "shows that it has it",
    async (at: Awaited<ReturnType<typeof deafAgent>>) => at.session.intake.take({ taken: ["hello?"] }),
  ],
])("a text is taken as soon as the agent %s", async (_, act) => {
  await using at = await deafAgent();
  const sent = at.send();
  await at.typed.first(1);
  await act(at);
  const { value, tookMs } = await settle(sent);
  expect(value).toBe("done");
  expect(tookMs).toBeLessThan(1000);
});

test("an answer that the agent does not take within 10 s has failed, and the request stands", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("permission"));
  at.terminal.shown = "Allow ? [y] yes";
  const { value, tookMs } = await settle(at.approve());
  expect([value, at.typed.all]).toEqual(["not_delivered", ["I y"]]);
  expect(tookMs).toBeGreaterThanOrEqual(TAKEN_MS);
  expect((await at.session.row())?.waiting).toMatchObject({ for: "permission" });
});

test("an answer is not sent while its dialog is not on the screen, and is given up after 10 s", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("permission"));
  at.terminal.shown = "something else";
  const { value, tookMs } = await settle(at.approve());
  expect([value, await at.inputs(), at.typed.all]).toEqual(["not_delivered", [], []]);
  expect(tookMs).toBeGreaterThanOrEqual(TAKEN_MS);
});

test("an answer is sent as soon as its dialog is on the screen", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("permission"));
  const answer = at.approve();
  for (let looks = 0; looks < 20; looks++) {
    await idle();
    await pass(50);
  }
  expect(at.typed.all).toEqual([]);
  at.terminal.shown = "Allow ? [y] yes";
  const typed = settle(at.typed.first(1));
  expect((await typed).value).toEqual(["I y"]);
  await at.session.observe(said("working"));
  expect((await settle(answer)).value).toBe("done");
});

test("a pause is no sign that an answer was taken", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("permission"));
  at.terminal.shown = "Allow ? [y] yes";
  const answer = at.approve();
  await settle(at.typed.first(1));
  await at.session.observe(PAUSE);
  expect((await settle(answer)).value).toBe("not_delivered");
});

test("an agent that works on after an interrupt has not taken it", async () => {
  await using at = await deafAgent();
  await at.session.observe(said("working"));
  const interrupted = codeOf(interruptSession(at.daemon, { sessionId: "s" }));
  const { value, tookMs } = await settle(interrupted);
  expect([value, at.typed.all]).toEqual(["not_delivered", ["I \u001b"]]);
  expect(tookMs).toBeGreaterThanOrEqual(TAKEN_MS);
});
