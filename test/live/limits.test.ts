import { expect, test } from "vitest";
import { eventsOf } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

test("a time-out is told of at 80 % and ends the session, whatever it does", async () => {
  await using user = newLiveUser();
  const { id } = await user.start([
    "--timeout",
    "1s",
    "--",
    "sh",
    "-c",
    "while :; do echo .; sleep 0.1; done",
  ]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted", end_reason: "timeout" });
  const events = await eventsOf(user, id);
  const neared = events.filter(({ kind }) => kind === "limit_neared");
  expect(neared.map(({ body }) => body)).toEqual([{ limit: { kind: "timeout", allowed: 1000, unit: "ms" } }]);
  const stopping = events.find(({ kind }) => kind === "end_began");
  expect(stopping).toMatchObject({ body: { evidence: { source: "timer", rule: "timeout" } } });
});

test("an idle time-out ends what is silent, and not what speaks", async () => {
  await using user = newLiveUser();
  const options = ["--idle-timeout", "2s", "--"];
  const silent = await user.start([...options, "sleep", "1000"]);
  const speaking = await user.start([...options, "sh", "-c", "while :; do echo .; sleep 0.2; done"]);
  expect(await user.reach(silent.id, "stopped")).toMatchObject({
    outcome: "interrupted",
    end_reason: "idle_timeout",
  });
  expect(await user.get(speaking.id)).toMatchObject({ state: "running" });
  const neared = (await eventsOf(user, silent.id)).filter(({ kind }) => kind === "limit_neared");
  expect(neared).toHaveLength(1);
});

test("an idle time-out counts at the prompt, but not at a request or when paused", async () => {
  await using user = newLiveUser();
  const idle = ["--idle-timeout", "3s"];
  // Each is busy from the beginning, so that none idles before the test is ready.
  const request = await user.start(["scripted", "ask Bash", ...idle]);
  const paused = await user.start(["scripted", "stream 100000 100", ...idle]);
  await user.reach(paused.id, "running");
  await user.ok(["pause", paused.id]);
  await user.reach(request.id, "waiting_input");
  const { id: prompt } = await user.start(["scripted", "say good", ...idle]);
  expect(await user.reach(prompt, "stopped")).toMatchObject({
    outcome: "interrupted",
    end_reason: "idle_timeout",
  });
  const both = [request.id, paused.id];
  const waited = await user.rollcall(["wait", ...both, "--until", "stopped", "--any", "--timeout", "2s"]);
  expect(waited.code).toBe(5);
  await user.ok(["continue", paused.id]);
  await user.ok(["interrupt", paused.id]);
  await user.ok(["approve", request.id]);
  for (const id of both)
    expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "idle_timeout" });
});

test("a time-out is kept by a daemon that comes back", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--timeout", "2s", "--", "sleep", "1000"]);
  await user.killDaemon();
  await user.ok(["up"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "timeout", outcome: "interrupted" });
});

test.each([
  ["a time-out", ["--timeout", "4s", "--", "sh", "-c", "while :; do echo .; sleep 0.1; done"], "timeout"],
  ["an idle time-out", ["--idle-timeout", "4s", "--", "sleep", "1000"], "idle_timeout"],
] as const)("%s goes on under the next daemon, and is told of once", async (_, args, limit) => {
  await using user = newLiveUser();
  const { id } = await user.start(args);
  const tellings = async () => (await eventsOf(user, id)).filter(({ kind }) => kind === "limit_neared");
  await until(async () => (await tellings()).length > 0, "the event at 80 %");
  await user.killDaemon();
  await user.ok(["up"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: limit });
  expect(await tellings()).toHaveLength(1);
});

test("a time-out that passed while there was no daemon ends the session when one is back", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--timeout", "500ms", "--", "sleep", "1000"]);
  const begun = Date.now();
  await user.killDaemon();
  await until(() => Date.now() - begun > 1000, "the time to pass");
  await user.ok(["up"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "timeout" });
});

test("an agent that is not ready in time is unknown with the reason, and known again when it speaks", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "start.ready", "1s"]);
  const { id } = await user.start(["scripted", "--", "--slow-start", "2500"]);
  expect(await user.reach(id, "unknown")).toMatchObject({ end_reason: "not_ready", outcome: null });
  expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { for: "prompt" } });
});
