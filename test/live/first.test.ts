import { expect, test } from "vitest";
import { newLiveUser } from "./user.ts";

test("a command that runs is running, and is ended with its real exit and nothing left", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--name", "nap", "--", "sleep", "1000"]);
  expect(await user.get("nap")).toMatchObject({ id, state: "running", state_source: "process" });
  const ended = (await user.ok(["end", id, "--json"])).only;
  expect(ended).toMatchObject({
    session: { state: "stopped", outcome: "interrupted", exit_signal: "SIGTERM" },
    remaining: [],
  });
  expect(user.launchFolders()).toEqual([]);
});
