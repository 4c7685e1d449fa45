// Builds Rollcall and runs a live demo in a state folder of its own until Ctrl-C; then nothing of it is left.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { paint } from "../src/cli/table.ts";
import { saveSetting } from "../src/home/settings.ts";
import { openRollcall } from "../src/index.ts";
import { describeRoll } from "../src/present/roll.ts";
import { rollOrder } from "../src/present/roll-order.ts";
import { takeLock } from "../src/record/lock.ts";

const root = join(import.meta.dirname, "..");
const home = join(root, ".rollcall-demo");
const launcher = join(root, "bin", "rollcall.cjs");
/** Changes within this time are printed together. */
const TOGETHER_MS = 1000;
/** Tokens, cost, CPU and memory move all the time. */
const FIGURES_MS = 5000;
const LOCK = "start.lock";
const here = `ROLLCALL_HOME=${relative(root, home)} npx rollcall`;
const env = { ...process.env, ROLLCALL_HOME: home };
const leaving = new AbortController();

// From here on a signal only asks: whatever runs by then is ended first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => leaving.abort());
// A terminal that is gone, or a pipe that nobody reads.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => leaving.abort());

mkdirSync(home, { recursive: true, mode: 0o700 });
const lock = takeLock(join(home, LOCK));
process.exitCode = lock ? await start() : refuse();
lock?.[Symbol.dispose]();

function refuse(): number {
  console.error(
    `\`npm start\` runs already in ${home}. Use it with \`${here}\`, or end it with Ctrl-C first.`,
  );
  return 1;
}

async function start(): Promise<number> {
  process.stdout.write("Building … ");
  const built = await run(join(root, "scripts", "build.ts"), [], { stdio: ["ignore", "ignore", "inherit"] });
  if (built !== 0 || leaving.signal.aborted) return built;
  console.log("done.");
  try {
    await reset();
    saveSetting(home, "observe.outside", false);
    if (leaving.signal.aborted) return 0;
    const started = await rollcall(["demo"]);
    if (started !== 0 || leaving.signal.aborted) return started;
    await show();
  } finally {
    process.exitCode = await endAll();
  }
  return process.exitCode;
}

/** Processes of an earlier demo that was killed are ended before its folder is emptied. */
async function reset(): Promise<void> {
  const sessions = join(home, "run", "sessions");
  if (existsSync(sessions)) await rollcall(["up"]);
  await rollcall(["down", "--end-all", "--grace", "2s"]);
  const old = readdirSync(home).filter((name) => !name.startsWith(LOCK));
  for (const name of old) rmSync(join(home, name), { recursive: true, force: true });
}

async function show(): Promise<void> {
  const note = `In a second terminal, same folder: ${here}`;
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const top = ["top", "--note", `${note}\nq ends all of it and leaves no process.`];
    await run(launcher, top, { stdio: "inherit" });
    return;
  }
  console.log(`${note}\nCtrl-C, or SIGTERM to this process (${process.pid}), ends everything.`);
  await printChanges();
}

/** Without a terminal: the roll, soon after a state has changed, and now and then where only figures have. */
async function printChanges(): Promise<void> {
  await using store = await openRollcall({ home, cwd: home });
  const after = await store.feedEnd();
  let last = "";
  let timer: NodeJS.Timeout | undefined;
  const print = async (figures: "with figures" | "without figures") => {
    const rows = rollOrder(await Array.fromAsync(store.list({ activeOnly: true })));
    const look = { width: 160, now: Date.now(), paint };
    const states = JSON.stringify(rows.map(({ session: { id, state, waiting } }) => [id, state, waiting]));
    if (figures === "with figures" || states !== last) console.log(`\n${describeRoll(rows, look)}`);
    last = states;
    timer = undefined;
  };
  // One after the other, and the last one before the store is closed.
  let printing = Promise.resolve();
  const printNext = (figures: "with figures" | "without figures") => {
    printing = printing.then(async () => print(figures));
    printing.catch(() => leaving.abort());
  };
  printNext("with figures");
  const ticking = setInterval(() => printNext("with figures"), FIGURES_MS);
  for await (const _ of store.feed({ after, follow: true, signal: leaving.signal }))
    timer ??= setTimeout(() => printNext("without figures"), TOGETHER_MS);
  clearTimeout(timer);
  clearInterval(ticking);
  await printing;
}

async function endAll(): Promise<number> {
  const code = await rollcall(["down", "--end-all", "--grace", "2s"]);
  console.log(code === 0 ? "Everything has ended; no process is left." : "Not everything has ended.");
  return code;
}

/** Out of reach of the terminal's keys: what would be cut off in the middle of starting something leaves that behind. */
async function rollcall(args: readonly string[]): Promise<number> {
  return run(launcher, args, { stdio: ["ignore", "ignore", "inherit"], isDetached: true });
}

interface RunOptions {
  readonly stdio: "inherit" | ("ignore" | "inherit")[];
  readonly isDetached?: boolean;
}

/** A child that is not detached is told to leave when we are. */
async function run(
  script: string,
  args: readonly string[],
  { stdio, isDetached = false }: RunOptions,
): Promise<number> {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio, env, detached: isDetached });
  const leave = () => void child.kill("SIGTERM");
  if (!isDetached) leaving.signal.addEventListener("abort", leave);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      leaving.signal.removeEventListener("abort", leave);
      // One that was told to leave has done what it should.
      resolve(code ?? (signal !== null && leaving.signal.aborted ? 0 : 1));
    });
  });
}
