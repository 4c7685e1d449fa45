import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { sep } from "node:path";
import type { ProcessIdentity } from "../domain/session/session.ts";
import { bootId, isOwnProcess, type ProcessEntry, processTable, readOfProcess } from "../machine/process.ts";
import { controlGroupOf, type KnownTree } from "./known-tree.ts";

/**
 * Living processes that belong to a launch by everything that is known of its tree, without those that carry a marker:
 * those are found by it. They can be named; only the marker makes it safe to signal one.
 */
export function findSurvivors(
  tree: KnownTree,
  table: ReadonlyMap<number, ProcessEntry> = processTable(),
): ProcessIdentity[] {
  if (tree.bootId !== bootId()) return [];
  const found = new Map<number, ProcessEntry>();
  for (const entry of table.values()) if (isKnown(tree, entry, table)) found.set(entry.pid, entry);
  addDescendants(found, table);
  return [...found.values()]
    .filter(({ pid }) => !hasMarker(pid))
    .map(({ pid, startTime }) => ({ pid, startTime, bootId: tree.bootId }));
}

function isKnown(tree: KnownTree, entry: ProcessEntry, table: ReadonlyMap<number, ProcessEntry>): boolean {
  const { pid, startTime } = entry;
  if (tree.members.some((member) => member.pid === pid && member.startTime === startTime)) return true;
  const isLater = Number(startTime) >= Number(tree.agent.startTime);
  if (!isLater || pid === process.pid || !isOwnProcess(pid)) return false;
  // A number in use as a session or group is nobody's pid; a leader that we do not know has it anew.
  const isOf = (ids: readonly number[], id: number) => ids.includes(id) && isLeaderOurs(tree, table.get(id));
  if (isOf(tree.sessions, entry.session) || isOf(tree.groups, entry.group)) return true;
  if (tree.controlGroups.length > 0 && tree.controlGroups.includes(controlGroupOf(pid))) return true;
  return entry.parent === tree.reaper && isInFolder(pid, tree.cwd);
}

function isLeaderOurs({ members }: KnownTree, leader: ProcessEntry | undefined): boolean {
  if (leader === undefined) return true;
  return members.some(({ pid, startTime }) => pid === leader.pid && startTime === leader.startTime);
}

/** An orphan that works where the agent did. In the home or root folder that says nothing. */
function isInFolder(pid: number, folder: string): boolean {
  const real = realPath(folder);
  if (real === sep || real === realPath(homedir())) return false;
  const cwd = readOfProcess(pid, (at) => readlinkSync(`${at}/cwd`));
  return cwd === real || cwd.startsWith(`${real}${sep}`);
}

function addDescendants(found: Map<number, ProcessEntry>, table: ReadonlyMap<number, ProcessEntry>): void {
  const children = Map.groupBy(table.values(), ({ parent }) => parent);
  const queue = [...found.keys()];
  for (const pid of queue)
    for (const child of children.get(pid) ?? [])
      if (!found.has(child.pid)) {
        found.set(child.pid, child);
        queue.push(child.pid);
      }
}

function hasMarker(pid: number): boolean {
  const environ = readOfProcess(pid, (folder) => readFileSync(`${folder}/environ`, "latin1"));
  return environ.startsWith("ROLLCALL_SESSION=") || environ.includes("\0ROLLCALL_SESSION=");
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
