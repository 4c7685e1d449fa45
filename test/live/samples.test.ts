import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { atTerminal } from "../cli/terminal.ts";
import { rollcallAt } from "./top-terminal.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

interface Resources {
  readonly cpu_percent: number | null;
  readonly memory_rss_bytes: number | null;
  readonly io_read_chars: number | null;
  readonly io_write_chars: number | null;
  readonly processes: number | null;
  readonly workspace_bytes_used: number | null;
  readonly sampled_at: string | null;
  readonly avg_cpu_percent: number | null;
}

interface Sample {
  readonly at: string;
  readonly over_ms: number;
  readonly cpu_percent: number;
}

const TICK_MS = 10;
const WRITTEN = 2_000_000;
/** Uses a known amount of processor time in a child that is orphaned, in another session, and gone before anyone asks. */
const BURN = `const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
while (used() < 400); require("fs").writeFileSync(process.argv[1], Buffer.alloc(${WRITTEN}, 1));`;

test("a session is measured over all its processes, also those that were orphaned and have left", {
  timeout: 60_000,
}, async () => {
  await using user = await newSampledUser();
  const file = join(user.folder, "written");
  const node = `'${process.execPath}' -e '${BURN}' '${file}'`;
  const script = `(setsid ${node} &) ; sleep 1000 & setsid sleep 1000 & wait`;
  await user.start(["--name", "tree", "--no-file", "--", "sh", "-c", script]);
  const shown = await measured(user, "tree", ({ io_write_chars: chars }) => (chars ?? 0) >= WRITTEN);
  await until(async () => (await resourcesOf(user, "tree")).processes === 3, "the orphan to leave");
  expect(shown.memory_rss_bytes).toBeGreaterThan(0);
  const { samples } = await samplesOf(user, "tree");
  expect(cpuMsOf(samples)).toBeGreaterThanOrEqual(400 - 2 * TICK_MS);
});

test("the average over the whole life is exact, also where no daemon ran meanwhile", {
  timeout: 60_000,
}, async () => {
  await using user = await newSampledUser();
  const busy = await user.start(["--name", "busy", "--no-file", "--", "sh", "-c", "while :; do :; done"]);
  await measured(user, "busy", ({ sampled_at: at }) => at !== null);
  await user.killDaemon();
  const { pid } = (busy.process ?? (await user.get("busy")).process) as { pid: number };
  const usedBefore = cpuMsOfProcess(pid);
  // Without a daemon: half a second of processor time that only the kernel has seen.
  await until(async () => cpuMsOfProcess(pid) >= usedBefore + 500, "it to go on");
  const last = (await samplesOf(user, "busy")).samples.at(-1)?.at ?? "";
  const usedAtLeast = cpuMsOfProcess(pid);
  await user.ok(["up"]);
  await measured(user, "busy", ({ sampled_at: at }) => at !== null && at > last);
  const { samples, resources } = await samplesOf(user, "busy");
  const usedAtMost = cpuMsOfProcess(pid);
  expect(cpuMsOf(samples)).toBeGreaterThanOrEqual(usedAtLeast - 2 * TICK_MS);
  expect(cpuMsOf(samples)).toBeLessThanOrEqual(usedAtMost + 2 * TICK_MS);
  const overMs = samples.reduce((sum, { over_ms: ms }) => sum + ms, 0);
  expect(resources.avg_cpu_percent).toBeCloseTo((100 * cpuMsOf(samples)) / overMs, 6);
});

test("the size of a workspace follows a file that grows in place", { timeout: 60_000 }, async () => {
  await using user = await newSampledUser();
  const file = join(user.folder, "grows");
  writeFileSync(file, "");
  const script = `while read line; do head -c 3000000 /dev/zero >> '${file}'; done`;
  await user.start(["--name", "grower", "--no-file", "--", "sh", "-c", script], { cwd: user.folder });
  const before = await measured(user, "grower", ({ workspace_bytes_used: size }) => size !== null);
  await user.ok(["send", "grower", "go"]);
  const least = (before.workspace_bytes_used ?? 0) + 3_000_000;
  await measured(user, "grower", ({ workspace_bytes_used: size }) => (size ?? 0) >= least);
});

test("samples, get, list --wide and the roll show what a session uses", { timeout: 60_000 }, async () => {
  await using user = await newSampledUser();
  await user.start(["--name", "busy", "--no-file", "--", "sh", "-c", "while :; do :; done"]);
  await measured(user, "busy", ({ cpu_percent: percent }) => percent !== null);
  const text = (await user.ok(["samples", "busy"])).stdout;
  expect(text).toMatch(/^CPU +[▁-█ ]+ +now [\d.]+%, average [\d.]+%$/m);
  expect(text).toMatch(/^memory .* peak [\d.]+ [kM]B$/m);
  expect((await user.ok(["get", "busy"])).stdout).toMatch(
    /^resources +[\d.]+% CPU, [\d.]+ [kM]B memory, 1 process$/m,
  );
  const wide = await atTerminal(user, ["list", "--wide"], { columns: 80 });
  expect(wide.lines.join("\n")).toMatch(/CPU +MEM/);
  const roll = await atTerminal(user, [], { columns: 200 });
  expect(roll.lines.join("\n")).toMatch(/CPU +MEM.*\n.*busy .* [\d.]+% +\d+[kM] /);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect((await user.ok(["samples", "busy", "--since", later])).stdout).toBe(
    "Nothing was measured in this time.\n",
  );
});

test("top shows the CPU and memory of sessions at 120 columns", { timeout: 60_000 }, async () => {
  await using user = await newSampledUser();
  await user.start(["--name", "busy", "--no-file", "--", "sh", "-c", "while :; do :; done"]);
  await using terminal = await rollcallAt(user, ["top"], { cols: 120 });
  await terminal.shows(/CPU +MEM[\s\S]*busy .* [\d.]+% +\d+[kM] /);
});

test("counters go on where the launch before has ended", { timeout: 60_000 }, async () => {
  await using user = await newSampledUser();
  await user.start(["scripted", "--name", "talker", "--no-file", "say hi"]);
  const before = await measured(user, "talker", ({ io_read_chars: chars }) => (chars ?? 0) > 0);
  await user.ok(["end", "talker"]);
  const ended = await resourcesOf(user, "talker");
  expect(ended.io_read_chars).toBeGreaterThanOrEqual(before.io_read_chars ?? 0);
  await user.ok(["resume", "talker", "-d"]);
  const after = await measured(user, "talker", ({ sampled_at: at }) => at !== ended.sampled_at);
  expect(after.io_read_chars).toBeGreaterThan(ended.io_read_chars ?? 0);
});

async function newSampledUser(): Promise<LiveUser> {
  const user = newLiveUser();
  await user.ok(["config", "set", "samples.active", "500ms"]);
  await user.ok(["config", "set", "samples.quiet", "500ms"]);
  await user.ok(["config", "set", "samples.workspace", "500ms"]);
  return user;
}

async function measured(
  user: LiveUser,
  name: string,
  isIt: (resources: Resources) => boolean,
): Promise<Resources> {
  let resources = await resourcesOf(user, name);
  await until(async () => {
    resources = await resourcesOf(user, name);
    return isIt(resources);
  }, `${name} to be measured`);
  return resources;
}

async function resourcesOf(user: LiveUser, name: string): Promise<Resources> {
  return (await user.get(name)).resources as Resources;
}

async function samplesOf(user: LiveUser, name: string): Promise<{ samples: Sample[]; resources: Resources }> {
  const { json } = await user.ok(["samples", name, "--json"]);
  return json as Shown as unknown as { samples: Sample[]; resources: Resources };
}

function cpuMsOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { cpu_percent: percent, over_ms: ms }) => sum + (percent * ms) / 100, 0);
}

/** As the kernel counts it. */
function cpuMsOfProcess(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
