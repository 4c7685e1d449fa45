import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { gone, isAlive, until } from "../live/user.ts";
import { type FaultUser, newFaultUser } from "./fault-user.ts";
import { missingTool } from "./mounts.ts";
import { PATIENCE_MS, report } from "./scale.ts";
import { hasProgram, sh } from "./sh.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const reason = hasProgram("tmux") ? undefined : missingTool("tmux", "apt-get install tmux");
if (reason !== undefined) report(`tmux view: not run: ${reason}`);

describe.skipIf(reason !== undefined)("the tmux view of a session", { concurrent: true }, () => {
  test("its server killed: the session goes on, is ended as ever, and the next view opens", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--tmux", "--", "sleep", "600"]);
    const server = serverOf(user);
    process.kill(server, "SIGKILL");
    await gone(server);
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.ok(["send", session.id, "hello"]);
    const next = await user.start(["--tmux", "--", "sleep", "600"]);
    expect(serverOf(user)).not.toBe(server);
    await user.ok(["end", session.id, next.id, "--grace", "1s"]);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
  });

  test.each(["kill-pane", "kill -9 of what it runs", "kill-session"])(
    "its pane gone by %s: that is a detach, and the agent does not notice",
    async (how) => {
      await using user = newFaultUser();
      const session = await user.start(["--tmux", "--", "sh", "-c", "trap 'echo hung up' HUP; exec cat"]);
      await until(async () => (await user.get(session.id)).attached === true, "the view to be attached");
      const [, pane, pid] =
        /^(%\d+) (\d+)$/m.exec(tmux(user, "list-panes", "-a", "-F", "#{pane_id} #{pane_pid}")) ?? [];
      if (!pane || !pid) throw new Error("There is no pane.");
      const other = await user.start(["--tmux", "--", "sleep", "600"]);
      await until(async () => (await user.get(other.id)).attached === true, "the other view to be attached");
      if (how === "kill -9 of what it runs") process.kill(Number(pid), "SIGKILL");
      else tmux(user, how, "-t", pane);
      await until(async () => (await user.get(session.id)).attached === false, "the view to be gone");
      expect(await user.get(session.id)).toMatchObject({ state: "running" });
      await user.ok(["send", session.id, "still here"]);
      await until(
        async () => screenOf(user, session.id).then((text) => /still here\s+still here/.test(text)),
        "cat",
      );
      expect(await screenOf(user, session.id)).not.toContain("hung up");
      expect(await user.get(other.id)).toMatchObject({ state: "running", attached: true });
      await user.ok(["end", session.id, other.id, "--grace", "1s"]);
      expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
    },
  );

  test("its socket deleted: the session goes on, and no server is left in the end", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--tmux", "--", "sleep", "600"]);
    const server = serverOf(user);
    rmSync(join(user.state, "run", "tmux.sock"));
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.ok(["send", session.id, "hello"]);
    await user.ok(["end", session.id, "--grace", "1s"]);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped" });
    // Its pane showed the session that has ended; with its last pane it leaves.
    await until(() => !isAlive(server), "the tmux server to leave");
  });

  test("killed while there is no daemon: the next one finds the session as it was", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--tmux", "--", "sleep", "600"]);
    await user.killDaemon();
    process.kill(serverOf(user), "SIGKILL");
    await user.up();
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
  });
});

async function screenOf(user: FaultUser, id: string): Promise<string> {
  return String((await user.ok(["data", id, "--json"])).json.screen);
}

function tmux(user: FaultUser, ...args: readonly string[]): string {
  return sh("tmux", "-S", join(user.state, "run", "tmux.sock"), ...args);
}

function serverOf(user: FaultUser): number {
  return Number(tmux(user, "display-message", "-p", "#{pid}"));
}
