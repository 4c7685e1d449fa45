import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, dataOf, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const ROLLCALL = `"${process.execPath}" "${LAUNCHER}"`;

/** Runs Rollcall as a tool of the agent in a session; what it printed and exited with. */
async function inside(user: LiveUser, id: string, args: string) {
  await turn(user, id, `run ${ROLLCALL} ${args}`);
  const { entries } = await dataOf(user, id);
  const result = entries.findLast(({ kind }) => kind === "tool_result")?.tool?.result;
  return result as { readonly code: number | null; readonly output: string };
}

test("a session that calls Rollcall sees the roll, and starts children of its own", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--name", "boss");
  expect((await inside(user, id, "list -q")).output.trim()).toBe(id);
  const started = await inside(user, id, "start -d -- sleep 1000");
  expect(started.code).toBe(0);
  const child = await user.get(started.output.trim());
  expect(child).toMatchObject({ state: "running", parent_id: id });
  expect((await inside(user, id, "get self")).output).toContain("boss");
});

test("a session that ends itself is answered before it dies, and nobody else is touched", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const other = await user.start(["--", "sleep", "1000"]);
  const child = (await inside(user, id, "start -d -- sleep 1000")).output.trim();
  const daemon = await user.daemonPid();
  const answer = user.rollcall(["send", id, `run ${ROLLCALL} end self --json > answer.json`]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted" });
  await answer;
  const said = JSON.parse(readFileSync(`${user.workspace}/answer.json`, "utf8")) as object;
  expect(said).toMatchObject({ session: { id, state: "stopping" } });
  expect(await user.daemonPid()).toBe(daemon);
  for (const alive of [other.id, child]) expect(await user.get(alive)).toMatchObject({ state: "running" });
});

test("inside a session no daemon is started: live verbs say so, and records work", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const results = `for verb in "start -d -- true" "wait self" "data self" "up" "list -q" "get self" "update self --phase planning"; do ${ROLLCALL} $verb > /dev/null 2>> said; echo "$?" >> codes; done`;
  await user.ok(["send", id, `run until [ -e gate ]; do sleep 0.02; done ; run ${results}`]);
  await user.reach(id, "running");
  await user.ok(["down"]);
  writeFileSync(join(user.workspace, "gate"), "");
  const codes = () =>
    existsSync(`${user.workspace}/codes`)
      ? readFileSync(`${user.workspace}/codes`, "utf8").trim().split("\n")
      : [];
  await until(() => codes().length === 7, "all of them");
  expect(codes()).toEqual(["4", "4", "4", "4", "0", "0", "0"]);
  expect(readFileSync(`${user.workspace}/said`, "utf8")).toContain("rollcall up");
  expect(await user.daemonPid()).toBeUndefined();
  expect(await user.reach(id, "waiting_input")).toMatchObject({ phase: "planning" });
});
