import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Signal } from "../../domain/supervise/signal.ts";
import { idle, pass } from "../../testing/session/fake-time.ts";
import { outsidePlace } from "../../testing/session/outside-place.ts";
import { line, says, signal } from "../../testing/session/transcript-place.ts";

const PROMPT: Signal = { source: "hook", rule: "stop", excerpt: null, says: "ready" };

test("only the last signal of a transcript outside counts until it is caught up with, and then each", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ signal: signal("a") }, { signal: signal("b", "ready") }));
  at.session.follow(at.path("a"));
  await at.committed.through((body) => body.kind === "at_prompt");
  appendFileSync(at.path("a"), line({ signal: signal("c") }, { signal: signal("d", "ready") }, says("last")));
  await at.said("last");
  expect(at.states.filter((state) => state.startsWith("at_"))).toEqual([
    "at_work b",
    "at_prompt b",
    "at_work c",
    "at_prompt d",
  ]);
});

test("the last signal of a transcript is not told with the transcript that is followed after it", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ signal: signal("over", "ready") }));
  writeFileSync(at.path("b"), line(says("one")));
  at.session.follow(at.path("a"));
  await at.committed.through((body) => body.kind === "at_prompt");
  await at.session.take(() => ({ signal: signal("begun") }));
  at.session.follow(at.path("b"));
  await at.said("one");
  appendFileSync(at.path("b"), line(says("two")));
  await at.said("two");
  await idle();
  expect(at.states.at(-1)).toBe("at_work begun");
});

test("a parser remembers nothing of the transcript that was followed before", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ ...says("one"), memory: { isTurnOpen: true } }));
  writeFileSync(at.path("b"), line(says("two")));
  at.session.follow(at.path("a"));
  await at.said("one");
  at.session.follow(at.path("b"));
  await at.said("two");
  expect(at.remembered.all).toEqual([{}, {}]);
});

test("an open turn is over after five seconds of silence at the prompt", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ ...says("go", "user"), turn: { isBegun: true } }));
  at.session.follow(at.path("a"));
  await at.said("go");
  await at.session.take(() => ({ signal: PROMPT }));
  await pass(4999);
  await idle();
  expect((await at.turn())?.state).toBe("running");
  await pass(1);
  await at.committed.through((body) => body.kind === "turn_ended");
  expect(await at.turn()).toMatchObject({ state: "done", outcome: null });
});

test("an open turn goes on where something was said in the five seconds at the prompt", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ ...says("go", "user"), turn: { isBegun: true } }));
  at.session.follow(at.path("a"));
  await at.said("go");
  await at.session.take(() => ({ signal: PROMPT }));
  await pass(3000);
  await at.session.take(() => says("more"));
  await pass(2000);
  await idle();
  expect((await at.turn())?.state).toBe("running");
});

test("the process of a session outside is written down once, and again where it is another one", async () => {
  await using at = await outsidePlace();
  const process = { pid: 42, startTime: "1", bootId: "b" };
  for (const one of [
    process,
    process,
    { ...process, startTime: "2" },
    { ...process, pid: 43, startTime: "2" },
  ])
    await at.session.runs(one);
  const launched = at.committed.all.flatMap((body) => (body.kind === "launched" ? [body.process] : []));
  expect(launched.map(({ pid, startTime }) => `${pid} ${startTime}`)).toEqual(["42 1", "42 2", "43 2"]);
});

test("a session outside without a live file that is gone is lost, and not ended by its own word", async () => {
  await using at = await outsidePlace();
  await at.session.take(() => ({ signal: signal("begun") }));
  await at.session.gone();
  expect(at.states.at(-1)).toBe("lost no_process");
});

test("a session outside whose live file is gone with it has ended, and one whose file is left is lost", async () => {
  await using at = await outsidePlace();
  at.session.liveFile = at.path("file");
  await at.session.take(() => ({ signal: signal("begun") }));
  await at.session.gone();
  expect(at.states.at(-1)).toBe("ended left");
  await using other = await outsidePlace();
  other.session.liveFile = other.path("file");
  writeFileSync(other.path("file"), "{}");
  await other.session.take(() => ({ signal: signal("begun") }));
  await other.session.gone();
  expect(other.states.at(-1)).toBe("lost no_process");
});

test("the prompt that a transcript shows ends no turn by silence: the transcript itself says how it went", async () => {
  await using at = await outsidePlace();
  writeFileSync(at.path("a"), line({ ...says("go", "user"), turn: { isBegun: true } }));
  at.session.follow(at.path("a"));
  await at.said("go");
  await at.session.take(() => ({ signal: { ...PROMPT, source: "transcript" } }));
  await pass(60_000);
  await idle();
  expect((await at.turn())?.state).toBe("running");
});

test("a piece of a sub-agent writes nothing into the record of its session", async () => {
  await using at = await outsidePlace();
  await at.session.take(() => ({ ...says("its words"), child: "a1" }) as never);
  await at.session.take(() => says("own words"));
  expect(at.committed.all.flatMap((body) => (body.kind === "entry_added" ? [body.entry.text] : []))).toEqual([
    "own words",
  ]);
});
