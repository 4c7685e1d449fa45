import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { atPrompt, said, turn } from "./scripted.ts";
import { isAlive, newLiveUser, until } from "./user.ts";

const LEAVE_ONE = "sleep 1000 >/dev/null 2>&1 & echo $! >kept";

describe("what a session was told to keep", () => {
  test("is named, and ended by an end of the session", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--kind", "autonomous", "--keep-children", "--", "sh", "-c", LEAVE_ONE]);
    await user.reach(id, "stopped");
    const kept = Number(readFileSync(join(user.workspace, "kept"), "utf8"));
    expect(isAlive(kept)).toBe(true);
    expect((await user.ok(["explain", id])).stdout).toContain(`exit 0; left running: pids ${kept})`);
    const named = (await user.ok(["end", id, "--no-wait", "--json"])).only;
    expect(named).toMatchObject({ session: { state: "stopped" }, remaining: [kept] });
    expect((await user.ok(["end", id, "--no-wait"])).stdout).toContain(`as it was told to: pids ${kept}.`);
    await user.ok(["down"]);
    expect(isAlive(kept)).toBe(true);
    expect((await user.ok(["end", id, "--json"])).only).toMatchObject({ remaining: [] });
    expect(isAlive(kept)).toBe(false);
    expect(user.launchFolders()).toEqual([]);
  });

  test("is named and ended also after a resume, and doctor leaves it alone", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user, "--keep-children");
    await turn(user, id, "spawn setsid");
    const kept = Number(/pid (\d+)/.exec((await said(user, id, "assistant"))[0] ?? "")?.[1]);
    await user.ok(["keys", id, "C-d"]);
    await user.reach(id, "stopped");
    await user.ok(["resume", id, "-d"]);
    await user.reach(id, "waiting_input");
    await user.ok(["doctor", "--fix"]);
    expect((await user.ok(["end", id, "--json"])).only).toMatchObject({ remaining: [kept] });
    expect(isAlive(kept)).toBe(true);
    expect((await user.ok(["end", id, "--json"])).only).toMatchObject({ remaining: [] });
    expect(isAlive(kept)).toBe(false);
    expect(user.launchFolders()).toEqual([]);
  });

  test("may leave by itself: then its files go, too", async () => {
    await using user = newLiveUser();
    const hooks = join(user.state, "run", "hooks");
    for (const isRestarted of [false, true]) {
      const args = ["--kind", "autonomous", "--keep-children", "--", "sh", "-c", LEAVE_ONE];
      await user.reach((await user.start(args)).id, "stopped");
      if (isRestarted) await user.killDaemon();
      if (isRestarted) await user.ok(["up"]);
      const [folder = ""] = user.launchFolders();
      writeFileSync(join(hooks, `.${basename(folder)}.1.1.turn_end`), "{");
      process.kill(Number(readFileSync(join(user.workspace, "kept"), "utf8")));
      await until(() => user.launchFolders().length === 0, "its folder to go");
      await until(() => readdirSync(hooks).length === 0, "what its hooks had half written to go");
    }
  });

  test("may say more than is kept of it", async () => {
    await using user = newLiveUser();
    const script = "(head -c 40000000 /dev/zero; head -c 40000000 /dev/zero >&2; touch said) &";
    const { id } = await user.start(["--kind", "autonomous", "--keep-children", "--", "sh", "-c", script]);
    await user.reach(id, "stopped");
    await until(() => existsSync(join(user.workspace, "said")), "it to have said all");
    await until(() => user.launchFolders().length === 0, "its folder to go");
  });
});
