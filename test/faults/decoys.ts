import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { startTimeOf } from "../../src/machine/process.ts";
import { isAlive, until } from "../live/user.ts";

const LAST_PID = "/proc/sys/kernel/ns_last_pid";
const NAMES = ["rollcall-holder", "rollcall-guard", "node rollcall-daemon.cjs", "tmux: server", "sh"];

/** Processes of somebody else that look like ours. Whatever Rollcall does, they must not be signalled. */
export class Decoys implements Disposable {
  readonly #processes: { readonly child: ChildProcess; readonly startTime: string }[] = [];

  /** Twenty, with look-alike names; given the marker of a session, with variables that nearly carry it. */
  constructor(marker = randomBytes(16).toString("hex"), count = 20) {
    const almost = [
      { ROLLCALL_SESSION: `${marker}0` },
      { ROLLCALL_SESSION: marker.slice(0, -1) },
      { XROLLCALL_SESSION: marker },
      { OTHER: `ROLLCALL_SESSION=${marker}` },
    ];
    for (let n = 0; n < count; n++) this.add(NAMES[n % NAMES.length], almost[n % almost.length]);
  }

  add(name = "sleep", env: Readonly<Record<string, string>> = {}, uid?: number): number {
    const owner = uid === undefined ? {} : { uid, gid: uid };
    const options = { argv0: name, env, stdio: "ignore", detached: true, ...owner } as const;
    const child = spawn("/bin/sleep", ["900"], options);
    const pid = child.pid as number;
    this.#processes.push({ child, startTime: startTimeOf(pid) as string });
    return pid;
  }

  /**
   * Takes the pid of a process that is gone. Others on this machine start processes too, so it takes some tries; false
   * where one of them, or a thread, got the pid first and stays.
   */
  async takePid(pid: number): Promise<boolean> {
    // A dead process has its pid until its parent, which may be a slow first process, has heard of it.
    await until(() => !existsSync(`/proc/${pid}`), `pid ${pid} to be free`);
    for (let tries = 0; tries < 100; tries++) {
      writeFileSync(LAST_PID, String(pid - 1));
      const child = spawn("/bin/sleep", ["900"], { env: {}, stdio: "ignore", detached: true });
      if (child.pid === pid) {
        this.#processes.push({ child, startTime: startTimeOf(pid) as string });
        return true;
      }
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    return false;
  }

  /** Alive, the same, and in the state that they were put into. */
  expectUntouched(): void {
    const touched = this.#processes.filter(
      ({ child, startTime }) =>
        !isAlive(child.pid as number) || startTimeOf(child.pid as number) !== startTime,
    );
    expect(touched.map(({ child }) => child.spawnargs)).toEqual([]);
  }

  [Symbol.dispose](): void {
    for (const { child } of this.#processes) child.kill("SIGKILL");
  }
}

/** Why pids cannot be chosen here, or undefined. */
export function whyNoPids(): string | undefined {
  try {
    accessSync(LAST_PID, constants.W_OK);
    writeFileSync(LAST_PID, readFileSync(LAST_PID, "utf8"));
    return undefined;
  } catch {
    return `${LAST_PID} cannot be written (run it as root on a kernel with checkpoint and restore)`;
  }
}

/** The letter of /proc: `S`, `T` for stopped, `D`, … */
export function processState(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.charAt(stat.lastIndexOf(")") + 2);
}
