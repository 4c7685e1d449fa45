import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

interface Activity {
  readonly text: string;
  readonly tool: string | null;
  readonly at: string;
}

test("the record and the roll show the last tool call of an agent that works", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "tests", 'tool Bash {"command":"npm test"} ; work 1h']);
  await does(user, "tests", "Bash npm test");
  expect((await user.get("tests")).activity).toMatchObject({ text: "Bash npm test", tool: "Bash" });
  expect((await user.ok([])).stdout).toMatch(/tests .*Bash npm test/);
});

test.each(["interactive", "autonomous"])(
  "%s: the last line of a command's output is its activity",
  async (kind) => {
    await using user = newLiveUser();
    const script = "echo first; printf '10 %%\\r90 %%\\n\\n'; sleep 1000";
    await user.start(["--name", "build", "--kind", kind, "--", "sh", "-c", script]);
    await does(user, "build", "90 %");
    expect((await user.get("build")).activity).toMatchObject({ tool: null });
  },
);

test("an agent that streams one long answer was active just now", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "writer", "say I write. ; stream 100000 50"]);
  await does(user, "writer", "I write.");
  const before = activityOf(await user.get("writer"))?.at ?? "";
  await until(async () => (activityOf(await user.get("writer"))?.at ?? "") > before, "its activity to go on");
});

test("what a session did last is known after its end and to a daemon that comes back", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "talker", "say My last words."]);
  await does(user, "talker", "My last words.");
  await user.killDaemon();
  await user.ok(["up"]);
  await user.ok(["end", "talker"]);
  expect(activityOf(await user.get("talker"))?.text).toBe("My last words.");
});

test("a secret is not shown as activity", async () => {
  await using user = newLiveUser();
  const options = { env: { DEPLOY_TOKEN: "hunter2-hunter2" } };
  await user.start(["--name", "leaky", "--", "sh", "-c", 'echo "token $DEPLOY_TOKEN"; sleep 1000'], options);
  await until(async () => activityOf(await user.get("leaky")) !== null, "an activity");
  expect(activityOf(await user.get("leaky"))?.text).toMatch(/^token \[REDACTED/);
});

async function does(user: LiveUser, name: string, text: string): Promise<void> {
  await until(async () => activityOf(await user.get(name))?.text === text, `${name} to show ${text}`);
}

function activityOf({ activity }: Shown): Activity | null {
  return activity as Activity | null;
}
