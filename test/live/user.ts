import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Answer, newUser, type RunOptions, type Shown, type User } from "../cli/rollcall.ts";

/** A user with a daemon of their own. At the end everything is ended, and nothing may be left. */
export interface LiveUser extends Omit<User, typeof Symbol.dispose>, AsyncDisposable {
  /** `start -d --json` with these arguments. */
  start(args: readonly string[], options?: RunOptions): Promise<Shown>;
  get(id: string): Promise<Shown>;
  /** Waits by `rollcall wait`; fails where the state is not reached. */
  reach(id: string, ...states: readonly string[]): Promise<Shown>;
  /** The pid of the daemon; undefined where none runs. */
  daemonPid(): Promise<number | undefined>;
  /** `kill -9`, and waits until it is gone. */
  killDaemon(): Promise<void>;
  /** The folder of the only launch that is alive. */
  launchFolders(): string[];
}

export function newLiveUser(): LiveUser {
  const user = newUser();
  const get = async (id: string) => (await user.ok(["get", id, "--json"])).json;
  const daemonPid = async () => {
    const { daemon } = (await user.ok(["status", "--json"])).json as unknown as {
      daemon: { pid: number | null };
    };
    return daemon.pid ?? undefined;
  };
  return {
    ...user,
    get,
    daemonPid,
    start: async (args, options) => {
      const at = args.indexOf("--");
      const own = at < 0 ? args : args.slice(0, at);
      const rest = at < 0 ? [] : args.slice(at);
      return (await user.ok(["start", ...own, "-d", "--json", ...rest], options)).json;
    },
    reach: async (id, ...states) => {
      const answer = await user.rollcall([
        "wait",
        id,
        "--until",
        states.join(","),
        "--timeout",
        "30s",
        "--json",
      ]);
      expect(answer.code, `${answer.stdout}${answer.stderr}`).toBe(0);
      return answer.only.session as Shown;
    },
    killDaemon: async () => {
      const pid = livingDaemon(user.state);
      if (pid === undefined) throw new Error("There is no daemon to kill.");
      process.kill(pid, "SIGKILL");
      await gone(pid);
    },
    launchFolders: () => {
      const folder = join(user.state, "run", "sessions");
      return readdirSync(folder).map((name) => join(folder, name));
    },
    [Symbol.asyncDispose]: async () => {
      // A daemon that a test killed may have left sessions that only a daemon can end.
      if (livingDaemon(user.state) === undefined) await user.rollcall(["up"]);
      const down: Answer = await user.rollcall(["down", "--end-all", "--grace", "500ms"]);
      const left = processesOf(user.folder);
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      user[Symbol.dispose]();
      expect(down.stderr).toBe("");
      expect(left).toEqual([]);
    },
  };
}

/** By its file, without a command: the pid of a daemon that is there, whether or not it answers. */
function livingDaemon(state: string): number | undefined {
  const pid = Number(read(join(state, "run", "daemon.pid")));
  const isOurs = pid > 0 && read(`/proc/${pid}/environ`).includes(`ROLLCALL_HOME=${state}`);
  return isOurs && isAlive(pid) ? pid : undefined;
}

/** Living processes that have this user's state folder in their environment. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((name) => {
    const environ = read(`/proc/${name}/environ`);
    if (!environ.includes(`ROLLCALL_HOME=${folder}`) || !isAlive(Number(name))) return [];
    return [{ pid: Number(name), command: read(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim() }];
  });
}

/** A zombie is dead. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

export async function gone(pid: number): Promise<void> {
  await until(() => !isAlive(pid), `process ${pid} to leave`);
}

/** Looks until it is so; fails after a while that is long on any machine. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
): Promise<void> {
  const last = performance.now() + withinMs;
  while (performance.now() < last) {
    if (await isSo()) return;
    await sleep(20);
  }
  throw new Error(`Waited in vain for ${what}.`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
