import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { codeOf } from "../../store/contract/place.ts";
import { END, launched, PAUSE, said } from "../../testing/carried.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { type GivenFacts, holderOf } from "../../testing/session/ports.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { type SessionPlace, sessionPlace, type TestSession } from "../../testing/session/test-session.ts";
import { Input, isOwnCommand } from "./input.ts";

useFakeTime();

const controls: Mode["controls"] = {
  say: (_, text) => ({ via: "lines", lines: [text] }),
  approve: () => undefined,
  deny: () => undefined,
  answer: () => undefined,
  interrupt: () => undefined,
  stop: () => undefined,
};

/** An agent that tells its turns and takes a text as a line. */
const AGENT: Omit<GivenFacts, "folder"> = {
  launch: { tellsTurns: true },
  mode: {
    controls,
    capabilities: { tellsTurns: true, isReadyAtExec: false, confirmsInput: true, outputIsTranscript: false },
  },
};

interface At extends AsyncDisposable {
  readonly place: SessionPlace;
  readonly session: TestSession;
  readonly input: Input;
}

/** A session at its prompt, whose input follows every change as in the daemon. */
async function atPrompt(given: Omit<GivenFacts, "folder"> = AGENT): Promise<At> {
  const at = await begun(given);
  for (const each of [launched(), said("good")]) await at.session.observe(each);
  return at;
}

async function begun(given: Omit<GivenFacts, "folder"> = AGENT): Promise<At> {
  const place = await sessionPlace(given);
  const { session, input } = carry(place);
  return {
    place,
    session,
    input,
    [Symbol.asyncDispose]: async () => {
      input.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

function carry(place: SessionPlace) {
  const session = place.daemon();
  const input = new Input(session);
  const { add } = session.committed;
  Object.assign(session.committed, {
    add: (row: SessionRow) => {
      add(row);
      input.follow(row);
    },
  });
  return { session, input };
}

const BY_CLI = { channel: "cli" } as const;

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
async function withFirstText(): Promise<At> {
  const at = await begun({ ...AGENT, launch: { ...AGENT.launch, hasPrompt: true } });
  for (const each of [launched(), said("ready")]) await at.session.observe(each);
  expect(at.session.acts.all).toContainEqual({ do: "give_text" });
  return at;
}

test("the first text is given once, also by a daemon that comes back, and its file is removed", async () => {
  await using at = await withFirstText();
  const path = join(at.place.folder, "prompt");
  writeFileSync(path, "first");
  at.input.giveFirstText();
  at.input.giveFirstText();
  await at.session.observed.through((each) => each.saw === "text_written");
  await idle();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, "first");
  at.input.giveFirstText();
  const second = carry(at.place);
  second.input.giveFirstText();
  await idle();
  expect(at.session.delivered.all).toEqual([{ via: "lines", lines: ["first"] }]);
  expect(second.session.delivered.all).toEqual([]);
});

test("the first text waits until the holder can be reached", async () => {
  await using at = await withFirstText();
  writeFileSync(join(at.place.folder, "prompt"), "first");
  const reachable = Promise.withResolvers<void>();
  at.session.holder.reachable = () => reachable.promise;
  at.input.giveFirstText();
  await idle();
  expect(at.session.delivered.all).toEqual([]);
  reachable.resolve();
  expect(await at.session.delivered.first(1)).toHaveLength(1);
  await idle();
});

test("a first text that could not be given is told in the transcript, and can be tried again", async () => {
  await using at = await withFirstText();
  at.input.giveFirstText();
  await idle();
  expect(await at.session.said()).toEqual([
    "system: Its first text could not be given to it; send it again.",
  ]);
  writeFileSync(join(at.place.folder, "prompt"), "first");
  at.input.giveFirstText();
  expect(await at.session.delivered.first(1)).toEqual([{ via: "lines", lines: ["first"] }]);
  await idle();
});

test("a protocol is opened once, whoever comes back", async () => {
  await using at = await begun();
  writeFileSync(join(at.place.folder, "opening"), "hello\n");
  at.input.open();
  at.input.open();
  expect(at.session.connection.sent.all).toEqual(["I hello\n"]);
});

test.each([
  ["pipe", ["C"]],
  ["pty", []],
] as const)("the input of a session on a %s is closed: %j", async (host, sent) => {
  await using at = await begun({ ...AGENT, launch: { ...AGENT.launch, host } });
  at.input.close();
  expect(at.session.connection.sent.all).toEqual(sent);
});

test("keys that somebody presses are recorded before they are delivered", async () => {
  await using at = await atPrompt();
  const { deliver } = at.session.delivery;
  const recorded: (number | undefined)[] = [];
  at.session.delivery.deliver = async (deed) => {
    recorded.push((await at.session.row())?.seq);
    await deliver(deed);
  };
  const { events, seq } = await at.input.give("keys", { via: "keys", bytes: "y" }, "1 key", null);
  expect(recorded).toEqual([seq]);
  expect(events.map(({ body }) => body)).toMatchObject([{ kind: "input_given", by: "keys", text: "1 key" }]);
  expect(at.session.delivered.all).toEqual([{ via: "keys", bytes: "y" }]);
});

test.each([
  ["/clear", true],
  ["/model opus", true],
  ["/clear\nand more", false],
  ["/ no", false],
  ["say /clear", false],
])("%j is a command of the agent's own: %s", (text, isCommand) => {
  expect(isOwnCommand(text)).toBe(isCommand);
});
