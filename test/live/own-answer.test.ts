import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atPrompt, eventsOf, said } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

/** A turn that goes on until the file is there. */
const GATE = "run until [ -e gate ]; do sleep 0.02; done";

test("send --wait prints its own answer where a person types another text meanwhile", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const waiting = user.ok(["send", id, `${GATE} ; say mine`, "--wait"]);
  await user.reach(id, "running");
  await user.ok(["keys", id, ..."say", "Space", ..."theirs", "Enter"]);
  writeFileSync(join(user.workspace, "gate"), "");
  expect((await waiting).stdout).toBe("mine\n");
  await until(async () => (await said(user, id, "assistant")).length === 2, "the other answer");
  expect(await said(user, id, "assistant")).toEqual(["mine", "theirs"]);
});

test("send --wait prints its own answer to each of eight callers at once, again and again", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const texts = Array.from({ length: 40 }, (_, index) => `answer ${index}`);
  while (texts.length > 0) {
    const round = texts.splice(0, 8);
    const answers = await Promise.all(
      round.map(async (text) => user.rollcall(["send", id, `work 50ms ; say ${text}`, "--wait"])),
    );
    expect(answers.map(({ stdout, stderr }) => stdout + stderr)).toEqual(round.map((text) => `${text}\n`));
  }
});

test.each([
  ["interactive", "--kind", "interactive"],
  ["autonomous", "--kind", "autonomous"],
])(
  "send --wait prints no words of the turn before for a text that waited for its end, %s",
  async (_, ...args) => {
    await using user = newLiveUser();
    const id = await atPrompt(user, ...args);
    await user.ok(["send", id, `${GATE} ; say earlier`]);
    const waiting = user.rollcall(["send", id, "work 10ms", "--wait"]);
    const given = async () => (await eventsOf(user, id)).filter(({ kind }) => kind === "input_given");
    await until(async () => (await given()).length === 2, "the second text to be given");
    writeFileSync(join(user.workspace, "gate"), "");
    const answer = await waiting;
    expect([answer.code, answer.stdout]).toEqual([0, ""]);
    expect(answer.stderr).toContain("ended its turn without words");
  },
);
