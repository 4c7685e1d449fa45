import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { gone, until } from "../live/user.ts";
import { type FaultUser, newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const EVENT = JSON.stringify({ session_id: "x", prompt: "say hello" });

test("hook files that are garbage, late or of nobody change nothing, and do not stop those behind them", async () => {
  await using user = newFaultUser();
  const ended = await user.start(["scripted"]);
  await user.reach(ended.id, "waiting_input");
  const { marker: late } = user.holderOf(ended);
  await user.ok(["end", ended.id]);
  const session = await user.start(["scripted"]);
  await user.reach(session.id, "waiting_input");
  const { marker } = user.holderOf(session);
  const hooks = join(user.state, "run", "hooks");
  const before = await user.get(ended.id);
  drop(hooks, `${late}.1.1.turn_start`, EVENT);
  drop(hooks, `${"0".repeat(32)}.2.1.turn_start`, EVENT);
  drop(hooks, `${marker}.3.1.turn_start`, "{ not JSON");
  drop(hooks, `${marker}.4.1.no_such_event`, EVENT);
  drop(hooks, `${marker}.5.1.turn_end`, "[1, 2]");
  drop(hooks, `${marker}.6.1.turn_end`, "x".repeat(2_000_000));
  mkdirSync(join(hooks, `${marker}.7.1.turn_start`));
  await until(() => readdirSync(hooks).length === 0, "the spool to be empty");
  expect(await user.get(ended.id)).toMatchObject({ state: "stopped", seq: before.seq });
  await user.ok(["send", session.id, "say still here", "--wait"]);
  expect((await user.ok(["data", session.id])).stdout).toContain("still here");
});

test("hooks that came while there was no daemon are taken in by the next one", async () => {
  await using user = newFaultUser();
  const session = await user.start(["scripted"]);
  await user.reach(session.id, "waiting_input");
  await user.ok(["send", session.id, "say hello", "--wait"]);
  await user.killDaemon();
  const hooks = join(user.state, "run", "hooks");
  const { marker } = user.holderOf(session);
  for (let n = 0; n < 50; n++) drop(hooks, `${marker}.${n + 1}.1.turn_end`, EVENT);
  const { native_id } = await user.get(session.id);
  const told = { session_id: native_id, model: "told-by-a-hook", version: "1.0.0" };
  drop(hooks, `${marker}.51.1.session_start`, JSON.stringify(told));
  drop(hooks, "not-a-hook", "junk");
  await user.up();
  await until(() => hooksOf(user).length === 0, "the spool to be empty");
  expect(await user.get(session.id)).toMatchObject({ state: "waiting_input", model: "told-by-a-hook" });
  await user.ok(["send", session.id, "say again", "--wait"]);
});

test("what a hook had half written when all was killed but the disk is gone after the next start", async () => {
  await using user = newFaultUser();
  const hooks = join(user.state, "run", "hooks");
  // A hook that waits for the rest of what its agent has to say.
  const script =
    "mkfifo say; sleep 500 >say & $ROLLCALL_HOOK turn_end <say & $ROLLCALL_HOOK Stop <say & wait";
  const session = await user.start(["--kind", "autonomous", "--", "sh", "-c", script]);
  await until(() => hooksOf(user).length === 2, "two hooks to begin");
  await diesWhileEnding(user, session.id);
  writeFileSync(join(hooks, `.${"0".repeat(32)}.1.${spawnSync("true").pid}.turn_end`), "{");
  await user.up();
  await until(() => hooksOf(user).length === 0, "the spool to be empty");
});

/** Its end is in the record; its files are still there. */
async function diesWhileEnding(user: FaultUser, id: string): Promise<void> {
  const daemon = await user.restart({ ROLLCALL_FAULT: "end.kept" });
  await user.rollcall(["end", id, "--grace", "0s"]);
  await gone(daemon);
}

function hooksOf(user: FaultUser): string[] {
  return readdirSync(join(user.state, "run", "hooks")).filter((name) => name !== "not-a-hook");
}

/** As the script does: beside, then by rename. */
function drop(folder: string, name: string, content: string): void {
  writeFileSync(join(folder, `.${name}`), content);
  renameSync(join(folder, `.${name}`), join(folder, name));
}
