import { expect, test } from "vitest";
import { rollcallAt } from "./top-terminal.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const DETACH = "\u001c";

test("next --json gives the id of who waits longest, and moves on when it is called again", async () => {
  await using user = newLiveUser();
  const first = await asks(user, "one", "ask Bash {} ; say done");
  const second = await asks(user, "two", "ask Bash {} ; say done");
  const calls = [await user.ok(["next", "--json"]), await user.ok(["next", "--json"])];
  expect(calls.map(({ json }) => json)).toEqual([{ session_id: first }, { session_id: second }]);
  expect((await user.ok(["next", "--json"])).json).toEqual({ session_id: first });
});

test("next attaches to another session after the first was left unanswered", async () => {
  await using user = newLiveUser();
  await asks(user, "one", 'ask Bash {"command":"first"} ; say done');
  await asks(user, "two", 'ask Bash {"command":"second"} ; say done');
  for (const what of ["first", "second"]) {
    await using terminal = await rollcallAt(user, ["next"]);
    await terminal.shows(`Allow Bash {"command":"${what}"}`);
    terminal.press(DETACH);
    expect((await terminal.exit).agent.code).toBe(0);
  }
});

test("next --json says so where nobody waits", async () => {
  await using user = newLiveUser();
  const { code, stderr } = await user.rollcall(["next", "--json"]);
  expect([code, JSON.parse(stderr)]).toMatchObject([4, { error: { code: "wrong_state" } }]);
});

async function asks(user: LiveUser, name: string, text: string): Promise<string> {
  const { id } = await user.start(["scripted", "--name", name, text]);
  const isAsking = async () =>
    ((await user.get(name)).waiting as { for: string } | null)?.for === "permission";
  await until(isAsking, `${name} to ask`);
  return id;
}
