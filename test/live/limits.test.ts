import { expect, test } from "vitest";
import { eventsOf } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

test("a time-out is told of at 80 % and ends the session, whatever it does", async () => {
  await using user = newLiveUser();
  const { id } = await user.start([
    "--timeout",
    // A fifth of it is left behind the announcement, which a busy disk must not use up.
    "10s",
    "--",
    "sh",
    "-c",
    "while :; do echo .; sleep 0.1; done",
  ]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted", end_reason: "timeout" });
  const events = await eventsOf(user, id);
  const neared = events.filter(({ kind }) => kind === "limit_neared");
  expect(neared.map(({ body }) => body)).toEqual([
    { limit: { kind: "timeout", allowed: 10_000, unit: "ms" } },
  ]);
  const stopping = events.find(({ kind }) => kind === "end_began");
  expect(stopping).toMatchObject({ body: { evidence: { source: "timer", rule: "timeout" } } });
});

test("an idle time-out ends what is silent, and not what speaks", async () => {
  await using user = newLiveUser();
  const options = ["--idle-timeout", "10s", "--"];
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

test("a time-out is kept by a daemon that comes back", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--timeout", "2s", "--", "sleep", "1000"]);
  await user.killDaemon();
  await user.ok(["up"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "timeout", outcome: "interrupted" });
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
