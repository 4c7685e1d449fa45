import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LiveDaemon } from "../../bench/live-daemon.ts";
import { Scratch } from "../../bench/scratch.ts";

interface Reading {
  readonly descriptors: readonly string[];
  readonly terminals: readonly string[];
  readonly files: readonly string[];
  readonly processes: readonly string[];
  readonly rssMb: number;
}

const AT_ONCE = 10;

/** Starts and ends sessions, then many at once; says what was left behind. */
export async function liveCycles(cycles: number): Promise<string[]> {
  const scratch = new Scratch();
  await using daemon = await LiveDaemon.open(scratch);
  const fresh = await read(daemon);
  await cycle(daemon, 20);
  // The first sessions open what the daemon keeps open, and fill its caches; nothing else of theirs may stay.
  const before = {
    ...fresh,
    descriptors: (await read(daemon)).descriptors,
    rssMb: (await read(daemon)).rssMb,
  };
  for (let done = 0; done < cycles; done += 200) {
    await cycle(daemon, Math.min(200, cycles - done));
    console.log(`live cycle ${Math.min(done + 200, cycles)}/${cycles}`, counts(await read(daemon)));
  }
  const together = await manyAtOnce(daemon);
  const after = await read(daemon);
  return [
    ...together,
    ...(["descriptors", "terminals", "files", "processes"] as const).flatMap((what) =>
      leftOver(what, before[what], after[what]),
    ),
    ...(after.rssMb > before.rssMb * 1.5 + 30
      ? [`the daemon grew from ${before.rssMb} to ${after.rssMb} MB`]
      : []),
  ];
}

function leftOver(what: string, before: readonly string[], after: readonly string[]): string[] {
  if (after.length <= before.length) return [];
  const named = after.filter((name) => !before.includes(name)).slice(0, 10);
  return [`${after.length - before.length} ${what} more than before are left: ${named.join(", ")}`];
}

/** A terminal, a pipe, one that leaves by itself, one that does not want to leave; an agent, which reports and writes. */
const KINDS: readonly (readonly [args: readonly string[], kind: string, type: "scripted" | "unknown"])[] = [
  [["sleep", "1000"], "interactive", "unknown"],
  [["cat"], "autonomous", "unknown"],
  [["sh", "-c", "echo done; exit 3"], "autonomous", "unknown"],
  [["sh", "-c", "trap '' TERM; sleep 1000 & wait"], "interactive", "unknown"],
  [[], "interactive", "scripted"],
];

async function cycle(daemon: LiveDaemon, count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - made) }, async (_, index) => {
      const [args, kind, type] = KINDS[(made + index) % KINDS.length] as (typeof KINDS)[number];
      const id = await daemon.start(type, args, kind);
      if (type === "scripted") await daemon.waitFor(id, "waiting_input");
      await daemon.end(id, 50);
    });
    await Promise.all(batch);
  }
}

async function manyAtOnce(daemon: LiveDaemon): Promise<string[]> {
  const starts = await Promise.allSettled(
    Array.from({ length: 50 }, async () => daemon.start("unknown", ["sleep", "1000"])),
  );
  const more = await Promise.all(
    Array.from({ length: 50 }, async () => daemon.start("unknown", ["sleep", "1000"])),
  );
  const ids = [...starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : [])), ...more];
  const ends = await Promise.allSettled(ids.map(async (id) => daemon.end(id)));
  const proven = ends.filter(
    (end) => end.status === "fulfilled" && end.value.session.state === "stopped",
  ).length;
  return [
    ...(ids.length < 100 ? [`${100 - ids.length} of 50 starts at once failed`] : []),
    ...(proven < ids.length ? [`${ids.length - proven} of ${ids.length} ends at once were not proven`] : []),
  ];
}

/** The folder of a launch goes a moment after its last process. */
async function read(daemon: LiveDaemon): Promise<Reading> {
  const folders = join(daemon.home, "run", "sessions");
  for (let waitedMs = 0; waitedMs < 5000 && readdirSync(folders).length > 0; waitedMs += 50) await sleep(50);
  const processes = processesOf(daemon.home);
  const descriptors = readdirSync(`/proc/${daemon.pid}/fd`).map((fd) =>
    linkOf(`/proc/${daemon.pid}/fd/${fd}`),
  );
  return {
    descriptors,
    terminals: [...descriptors, ...processes.map((pid) => linkOf(`/proc/${pid}/fd/0`))].filter((link) =>
      /^\/dev\/(pts|ptmx)/.test(link),
    ),
    files: readdirSync(join(daemon.home, "run"), { recursive: true, encoding: "utf8" }),
    processes,
    rssMb: Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "latin1"))?.[1]) / 1000,
    ),
  };
}

function counts({ rssMb, ...left }: Reading): string {
  const lengths = Object.entries(left).map(([what, names]) => [what, names.length]);
  return JSON.stringify({ ...Object.fromEntries(lengths), rssMb });
}

/** Of this daemon's sessions; a zombie is dead. */
function processesOf(home: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const environ = readOrEmpty(`/proc/${name}/environ`);
    return environ.includes(`ROLLCALL_HOME=${home}\0`) && environ.includes("ROLLCALL_SESSION=");
  });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
