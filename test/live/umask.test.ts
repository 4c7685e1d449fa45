import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { LAUNCHER, type Shown } from "../cli/rollcall.ts";
import { newLiveUser } from "./user.ts";

test("an agent gets the umask of its caller, not that of the daemon", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const script = `umask 037; exec "$0" "$1" start -d --json --kind autonomous -- sh -c umask`;
  const options = { env: user.env, cwd: user.workspace, encoding: "utf8" } as const;
  const started = execFileSync("sh", ["-c", script, process.execPath, LAUNCHER], options);
  const { id } = JSON.parse(started) as Shown;
  await user.reach(id as string, "stopped");
  expect((await user.ok(["data", id as string])).stdout).toContain("0037");
});
