import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../cli/rollcall.ts";
import { isAlive } from "../live/user.ts";
import { type Lab, newLab } from "./lab.ts";
import { matrix, toATurn } from "./matrix.ts";
import { begin } from "./turn.ts";

matrix(
  ({ program, kind }) => {
    test("the user's own Codex daemon already running", async () => {
      await using lab = await newLab(program);
      await using daemon = await startDaemon(lab);
      const session = await begin(lab, kind, "[[tool:touch begun; tail -f /dev/null]]");
      await session.at("turn beside the daemon", "running", { via: toATurn(kind) });
      await expect.poll(() => readdirSync(lab.place.project), { timeout: 60_000 }).toContain("begun");
      const { remaining } = (await lab.ok(["end", session.id, "--json"])).only;
      await session.at("ended beside the daemon", "stopped", { via: ["stopping"] });
      expect(remaining).toEqual([]);
      // What it ran was its own: nothing of it went to the daemon, which is not ours to end.
      expect(commandsOf(lab.place.home).filter((command) => command.includes("tail"))).toEqual([]);
      expect(isAlive(daemon.pid)).toBe(true);
    });
  },
  { programs: ["codex"], kinds: ["interactive"] },
);

/** As its user has it, from a terminal that Rollcall knows nothing of. */
async function startDaemon(lab: Lab): Promise<AsyncDisposable & { readonly pid: number }> {
  const { ROLLCALL_HOME: _, ...env } = lab.env;
  const daemon = async (word: string) => run(lab.program.path, ["app-server", "daemon", word], { env });
  // Its first start in a new home fails now and then, because it copies itself there.
  let started = await daemon("start");
  for (let tries = 0; started.code !== 0 && tries < 5; tries++) started = await daemon("start");
  const { pid } = JSON.parse(started.stdout) as { pid: number };
  return {
    pid,
    [Symbol.asyncDispose]: async () => {
      await daemon("stop");
      // It leaves the process behind that keeps it up to date.
      for (const left of pidsOf(lab.place.home)) process.kill(left, "SIGKILL");
    },
  };
}

/** Living processes in this home, or of a program that lies there. */
function pidsOf(home: string): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const isThere = (pid: number) =>
    `\0${read(`/proc/${pid}/environ`)}`.includes(`\0HOME=${home}\0`) ||
    read(`/proc/${pid}/cmdline`).includes(`${home}/`);
  return pids.filter((pid) => isAlive(pid) && isThere(pid));
}

function commandsOf(home: string): string[] {
  return pidsOf(home).map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " "));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
