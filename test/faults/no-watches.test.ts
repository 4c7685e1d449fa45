import { expect, test, vi } from "vitest";
import { LAUNCHER, newUser, run } from "../cli/rollcall.ts";
import { until } from "../live/user.ts";
import { PATIENCE_MS, report } from "./scale.ts";
import { sh } from "./sh.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

/** Runs a command where the system watches no file for it. */
const UNWATCHED = ["-Ur", "sh", "-c", 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"', "sh"];

const reason = whyNotUnwatched();
if (reason !== undefined) report(`no watches left: not run: ${reason}`);

test.skipIf(reason !== undefined)(
  "who follows the store is told of what others commit where the system watches no more files",
  async () => {
    using user = newUser();
    const args = [process.execPath, LAUNCHER, "events", "-f", "--limit", "1", "--json"];
    const { env, workspace: cwd } = user;
    let isTold = false;
    const following = run("unshare", [...UNWATCHED, ...args], { env, cwd }).finally(() => (isTold = true));
    await until(async () => {
      await user.create();
      return isTold;
    }, "the follower to be told");
    const answer = await following;
    expect([answer.code, answer.stderr]).toEqual([0, ""]);
    expect(answer.json).toMatchObject({ kind: "created" });
  },
);

function whyNotUnwatched(): string | undefined {
  try {
    sh("unshare", ...UNWATCHED, "true");
    return undefined;
  } catch {
    return "this machine gives nobody a user namespace of their own";
  }
}
