import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readProcess } from "../../src/machine/process.ts";
import type { Shown } from "../cli/rollcall.ts";
import { gone, isAlive, until } from "../live/user.ts";
import { type FaultUser, killNow, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

/** A child that no marker finds: in a session of its own, with an empty environment. Ended with the test. */
class Escaped implements AsyncDisposable {
  readonly #file: string;

  constructor(user: FaultUser) {
    this.#file = join(user.folder, "escaped");
  }

  /** The command that starts it and lives on beside it. */
  command(child = "exec sleep 677"): string[] {
    const inner = `echo $$ > ${this.#file}.new; mv ${this.#file}.new ${this.#file}; ${child}`;
    return ["--", "bash", "-c", `setsid env -i sh -c '${inner}' & sleep 600`];
  }

  async pid(): Promise<number> {
    await until(() => existsSync(this.#file), "the child to write its pid down");
    return Number(readFileSync(this.#file, "utf8"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!existsSync(this.#file)) return;
    const pid = await this.pid();
    if (isAlive(pid)) await killNow(pid);
  }
}

async function killBoth(user: FaultUser, session: Shown): Promise<void> {
  const { guard, holder } = user.holderOf(session);
  await killNow(guard.pid);
  await killNow(holder.pid);
}

interface Answer {
  readonly session: Shown;
  readonly remaining: readonly number[];
  readonly is_proven?: boolean;
}

async function endUnproven(user: FaultUser, id: string): Promise<Answer> {
  const ended = await user.rollcall(["end", id, "--grace", "300ms", "--json"]);
  expect(ended.code, ended.stderr).toBe(4);
  const { results } = ended.json as unknown as { results: [Answer] };
  return results[0];
}

describe("an end without the word of holder and guard", { concurrent: true }, () => {
  test("is not proven: it exits 4, names the process that no marker finds, and so does doctor", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command());
    const pid = await escaped.pid();
    await killBoth(user, session);
    const ended = await endUnproven(user, session.id);
    expect(ended).toMatchObject({
      session: { state: "unknown", end_reason: "not_proven" },
      is_proven: false,
    });
    expect(ended.remaining).toEqual([pid]);
    expect(isAlive(pid)).toBe(true);
    const doctor = await user.rollcall(["doctor"]);
    expect(doctor.stdout).toContain(`${pid} (sleep 677)`);
    expect((await user.ok(["explain", session.id])).stdout).toContain(`${pid}`);
  });

  test("is told to a person in one sentence with the pids", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command());
    const pid = await escaped.pid();
    await killBoth(user, session);
    const ended = await user.rollcall(["end", session.id]);
    expect(ended).toMatchObject({ code: 4 });
    expect(ended.stderr).toContain(`cannot be proven`);
    expect(ended.stderr).toContain(`${pid}`);
  });

  test("is not proven where both are killed in the middle of it", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command('trap "" TERM HUP; while :; do sleep 1; done'));
    const pid = await escaped.pid();
    await user.ok(["end", session.id, "--no-wait", "--grace", "60s"]);
    await gone((session.process as { pid: number }).pid);
    await killBoth(user, session);
    await reaches(user, session.id, { state: "unknown", end_reason: "not_proven", exit_code: null });
    expect((await endUnproven(user, session.id)).remaining).toContain(pid);
  });

  test("names the process also from another folder, once the tree was seen", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command("cd /; exec sleep 677"));
    const pid = await escaped.pid();
    const { folder } = user.holderOf(session);
    await until(() => readTree(folder).includes(`"pid":${pid},`), "the tree to be looked at");
    await killBoth(user, session);
    expect((await endUnproven(user, session.id)).remaining).toEqual([pid]);
  });

  test("is not proven again by the next daemon, which still knows the process", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command());
    const pid = await escaped.pid();
    await killBoth(user, session);
    await reaches(user, session.id, { state: "unknown", end_reason: "holder_lost" });
    await user.restart();
    expect((await endUnproven(user, session.id)).remaining).toEqual([pid]);
  });

  test("never names someone else's process that works in the same folder", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command());
    const pid = await escaped.pid();
    const own = spawn("sleep", ["600"], { cwd: join(user.folder, "work"), stdio: "ignore" });
    try {
      await killBoth(user, session);
      expect((await endUnproven(user, session.id)).remaining).toEqual([pid]);
    } finally {
      own.kill("SIGKILL");
    }
  });

  test("leaves no folder behind once the process is gone and a daemon looks again", async () => {
    await using user = newFaultUser();
    await using escaped = new Escaped(user);
    const session = await user.start(escaped.command());
    const pid = await escaped.pid();
    await killBoth(user, session);
    await endUnproven(user, session.id);
    await killNow(pid);
    expect((await endUnproven(user, session.id)).remaining).toEqual([]);
    expect(user.launchFolders()).toEqual([]);
  });
});

test("a process whose first thread has left is found by its marker, and ended", async () => {
  await using user = newFaultUser();
  const session = await user.start(["--", user.program("first_thread")]);
  const { agent } = user.holderOf(session);
  await until(() => readProcess(agent.pid) !== undefined && !isAlive(agent.pid), "its first thread to leave");
  await killBoth(user, session);
  await reaches(user, session.id, { state: "unknown", end_reason: "holder_lost" });
  await until(() => readProcess(agent.pid) === undefined, "the process to be ended");
  expect((await endUnproven(user, session.id)).remaining).toEqual([]);
});

function readTree(folder: string): string {
  try {
    return readFileSync(join(folder, "tree"), "utf8");
  } catch {
    return "";
  }
}
