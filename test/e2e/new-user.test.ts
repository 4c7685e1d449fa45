// What someone does in the first minutes: `npm start` at a terminal, a second terminal beside it, and nothing left after.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findLeaks, RUN_MARK } from "../../src/testing/leak-check.ts";
import { type Answer, run } from "../cli/rollcall.ts";
import { openTerminal, type Terminal } from "../live/top-terminal.ts";
import { until } from "../live/user.ts";

const root = join(import.meta.dirname, "..", "..");
const mark = randomUUID();
/** A build beside load takes its time, and figures are printed every few seconds. */
const LONG_MS = 120_000;
let place: string;
let env: Record<string, string>;

/** The sources as they are, with what `npm ci` installs. */
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "rc-new-")));
  for (const folder of ["home", "temp", "rollcall"]) mkdirSync(join(place, folder));
  const copy = `git ls-files -z --cached --others --exclude-standard | tar -cf - --null --ignore-failed-read -T - | tar -xf - -C "$0"`;
  execFileSync("sh", ["-c", copy, join(place, "rollcall")], {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore"],
  });
  symlinkSync(join(root, "node_modules"), join(place, "rollcall", "node_modules"));
  env = {
    HOME: join(place, "home"),
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    TERM: "xterm-256color",
    TMPDIR: join(place, "temp"),
    LANG: "C.UTF-8",
    [RUN_MARK]: mark,
  };
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a new user sees a live fleet, starts a command beside it, answers one, ends all, and nothing is left", async () => {
  await using first = await npmStart();
  await first.shows("ROLLCALL_HOME=.rollcall-demo npx rollcall");
  await first.shows(/demo-deploy +waiting_input .*permission: /);
  const mine = (await second("start", "-d", "--name", "mine", "--", "sleep", "1000")).stdout.trim();
  await first.shows(/mine +running/);
  await second("approve", "demo-deploy");
  await first.shows(/demo-deploy +running/);
  await second("end", "--all");
  await first.shows(/rollcall {2}0 live/);
  expect((await second("get", mine, "--json")).json).toMatchObject({
    state: "stopped",
    exit_signal: "SIGTERM",
  });
  first.press("\u0003");
  await first.shows("Everything has ended; no process is left.");
  expect((await first.exit).agent.code).toBe(0);
  await nothingIsLeft();
  expect(readdirSync(env.HOME as string).filter((name) => name !== ".npm")).toEqual([]);
});

test("with the fleet alive Ctrl-C ends it, also when it comes while the fleet starts", async () => {
  await using first = await npmStart();
  await first.hasSent("done.\r\n");
  first.press("\u0003");
  await first.exit;
  await nothingIsLeft();
  await using again = await npmStart();
  await again.shows(/demo-planner +waiting_input .*question: /);
  again.press("\u0003");
  expect((await again.exit).agent.code).toBe(0);
  await nothingIsLeft();
});

test("a terminal that is closed ends it too", async () => {
  await using first = await npmStart();
  await first.shows(/demo-deploy +waiting_input .*permission: /);
  await first.hangUp();
  await nothingIsLeft();
});

test("what a killed one left behind is ended by the next, and two at once are refused", async () => {
  await using first = await npmStart();
  await first.shows(/demo-deploy +waiting_input .*permission: /);
  const { code, stderr } = await npm();
  expect(code).not.toBe(0);
  expect(stderr).toContain("`npm start` runs already");
  expect((await second("status", "--short")).stdout).toMatch(/^[56] live/);
  for (const pid of pidsOf(/start\.ts|rollcall-daemon/)) process.kill(pid, "SIGKILL");
  await first.exit;
  await using next = await npmStart();
  await next.shows(/demo-deploy +waiting_input .*permission: /);
  expect((await second("list", "-q")).stdout.trim().split("\n")).toHaveLength(6);
  next.press("q");
  await next.exit;
  await nothingIsLeft();
});

test("without a terminal it prints the roll as it changes, with tokens, cost, CPU and memory that move, until SIGTERM", async () => {
  const child = spawn("npm", ["start"], {
    cwd: join(place, "rollcall"),
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await until(() => output.includes("rollcall approve demo-deploy"), "the roll", LONG_MS);
  await second("approve", "demo-deploy");
  await until(
    () => /demo-deploy +running/.test(output.slice(output.lastIndexOf("live session"))),
    "a new roll",
  );
  for (const [name, column] of [
    ["demo-writer", "TOKENS"],
    ["demo-writer", "COST"],
    ["demo-clock", "CPU"],
    ["demo-clock", "MEM"],
  ] as const)
    await until(() => valuesIn(output, name, column).size > 2, `${column} of ${name} to move`, LONG_MS);
  process.kill(Number(/SIGTERM to this process \((\d+)\)/.exec(output)?.[1]), "SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output).toMatch(/Everything has ended; no process is left\.\n$/);
  await nothingIsLeft();
});

/** All that a column of the printed rolls has shown of one session. */
function valuesIn(output: string, name: string, column: string): ReadonlySet<string> {
  const lines = output.split("\n");
  const values = lines.flatMap((line, at) => {
    if (!line.includes(name)) return [];
    const head = lines.slice(0, at).findLast((before) => before.startsWith("ID "));
    const end = (head?.indexOf(column) ?? -1) + column.length;
    // Amounts end below the end of their title.
    const value = / (\S+)$/.exec(line.slice(0, end))?.[1];
    return end < column.length || value === undefined || value === "—" ? [] : [value];
  });
  return new Set(values);
}

async function npmStart(): Promise<Terminal> {
  return openTerminal(["npm", "start"], { env, cwd: join(place, "rollcall"), cols: 100, rows: 30 });
}

async function npm(): Promise<Answer> {
  return run("npm", ["start"], { env, cwd: join(place, "rollcall") });
}

/** A command in the second terminal. */
async function second(...args: string[]): Promise<Answer> {
  const options = { cwd: join(place, "rollcall"), env: { ...env, ROLLCALL_HOME: ".rollcall-demo" } };
  const answer = await run("npx", ["rollcall", ...args], options);
  expect(answer, answer.stderr).toMatchObject({ code: 0 });
  return answer;
}

async function nothingIsLeft(): Promise<void> {
  await until(() => findLeaks(mark, join(place, "temp")).length === 0, "every process to leave");
}

function pidsOf(command: RegExp): number[] {
  const leaks = findLeaks(mark, join(place, "temp")).map(({ what }) => what);
  return leaks.filter((what) => command.test(what)).map((what) => Number(/process (\d+)/.exec(what)?.[1]));
}
