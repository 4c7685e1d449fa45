import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProcessEntry, processTable } from "../machine/process.ts";
import { LAUNCH_FILES } from "./launch-folder.ts";

interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Everything that is known of the processes of one launch: what finds those that no marker does. */
export interface KnownTree {
  readonly bootId: string;
  readonly agent: KnownProcess;
  readonly cwd: string;
  /** The process that adopts those of this user whose parent dies. */
  readonly reaper: number;
  /** As the last look at the tree found it. */
  readonly members: readonly KnownProcess[];
  readonly sessions: readonly number[];
  readonly groups: readonly number[];
  /** Those that are not the daemon's own. */
  readonly controlGroups: readonly string[];
}

const INIT = 1;

/** The facts that identify a launch before anyone has looked at its tree. */
export function unseenTree(known: Pick<KnownTree, "bootId" | "agent" | "cwd">): KnownTree {
  const { pid } = known.agent;
  return {
    ...known,
    reaper: INIT,
    members: [known.agent],
    sessions: [pid],
    groups: [pid],
    controlGroups: [],
  };
}

/** Undefined where nobody has looked yet, or a power cut left half of it. */
export function readTree(folder: string): KnownTree | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, LAUNCH_FILES.tree), "utf8")) as KnownTree;
  } catch {
    return undefined;
  }
}

export function writeTree(folder: string, tree: KnownTree): void {
  const temp = join(folder, `.${LAUNCH_FILES.tree}`);
  writeFileSync(temp, JSON.stringify(tree), { mode: 0o600 });
  renameSync(temp, join(folder, LAUNCH_FILES.tree));
}

/** Looks at the processes below the guard of a launch. Undefined where it has left. */
export function lookAtTree(
  known: Pick<KnownTree, "bootId" | "agent" | "cwd">,
  { guard, holder }: { readonly guard: KnownProcess; readonly holder: KnownProcess },
  table: ReadonlyMap<number, ProcessEntry> = processTable(),
): KnownTree | undefined {
  const top = [guard, holder].find(({ pid, startTime }) => table.get(pid)?.startTime === startTime);
  if (!top) return undefined;
  const own = [guard.pid, holder.pid];
  const members = [...below(top.pid, table)].filter(({ pid }) => !own.includes(pid));
  const distinct = (of: (entry: ProcessEntry) => number) => [
    ...new Set([known.agent.pid, ...members.map(of)]),
  ];
  const parent = table.get(top.pid)?.parent ?? INIT;
  return {
    ...known,
    reaper: top === guard ? parent : INIT,
    members: members.map(({ pid, startTime }) => ({ pid, startTime })),
    sessions: distinct(({ session }) => session),
    groups: distinct(({ group }) => group),
    controlGroups: foreignGroups(members),
  };
}

/** All descendants of a process. */
function* below(pid: number, table: ReadonlyMap<number, ProcessEntry>): Generator<ProcessEntry> {
  const children = Map.groupBy(table.values(), ({ parent }) => parent);
  const found = [...(children.get(pid) ?? [])];
  for (const entry of found) {
    yield entry;
    found.push(...(children.get(entry.pid) ?? []));
  }
}

/** An agent may have put a part of its tree into a control group of its own; ours says nothing of it. */
function foreignGroups(members: readonly ProcessEntry[]): string[] {
  const ours = controlGroupOf(process.pid);
  const groups = members.map(({ pid }) => controlGroupOf(pid)).filter((group) => group !== "");
  return [...new Set(groups)].filter((group) => group !== ours);
}

/** Empty where it cannot be told. */
export function controlGroupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8");
  } catch {
    return "";
  }
}
