import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launched, said } from "../../testing/carried.ts";
import { idle } from "../../testing/session/fake-time.ts";
import { AGENT, type At, atPrompt, begun, carry } from "../../testing/session/input-place.ts";
import { isOwnCommand } from "./input.ts";

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
