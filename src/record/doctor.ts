import { chmodSync, existsSync, lstatSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../domain/errors.ts";
import { isDaemonAlive } from "../home/daemon-alive.ts";
import { backupFolder, configPath, homeFolder, runFolder, storePath } from "../home/layout.ts";
import { loadConfig } from "../home/settings.ts";
import { findPartials, removePartials } from "../machine/partial-file.ts";
import { openRollcall } from "./open.ts";

export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly detail: string;
  /** The thing to do about it. */
  readonly hint: string | null;
}

const LITTLE_SPACE = 512 * 1024 * 1024;

/** Everything that records need, looked at one by one; one that fails does not hide the others. */
export async function examine({ fix }: { readonly fix: boolean }): Promise<Check[]> {
  const home = homeFolder();
  return [
    nodeCheck(),
    await guarded("settings", () => settingsCheck(home)),
    await guarded("permissions", () => permissionsCheck(home, fix)),
    await guarded("space", () => spaceCheck(home)),
    await guarded("store", () => storeCheck()),
    await guarded("record files", () => filesCheck(home)),
    await guarded("partial files", () => partialsCheck(home, fix)),
  ];
}

export async function guarded(name: string, look: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    const hint = error instanceof RollcallError ? (error.hint ?? null) : null;
    return { name, status: "failed", detail: error instanceof Error ? error.message : String(error), hint };
  }
}

function nodeCheck(): Check {
  return ok("node", `Node ${process.versions.node} at ${process.execPath}.`);
}

function settingsCheck(home: string): Check {
  loadConfig(home, undefined);
  const path = configPath(home);
  return ok("settings", existsSync(path) ? `${path} is valid.` : "All settings have their defaults.");
}

/** Nobody else may read what agents said. */
function permissionsCheck(home: string, fix: boolean): Check {
  if (existsSync(home) && !statSync(home).isDirectory()) {
    const hint = "Choose another state folder with ROLLCALL_HOME.";
    return { name: "permissions", status: "failed", detail: `${home} is not a folder.`, hint };
  }
  const open = existsSync(home) ? [home, ...filesBelow(home)].filter(isOpenToOthers) : [];
  if (open.length === 0) return ok("permissions", "Only you can read the state folder.");
  if (!fix) {
    const detail = `Others can read ${open.slice(0, 3).join(", ")}${open.length > 3 ? ` and ${open.length - 3} more` : ""}.`;
    return { name: "permissions", status: "warning", detail, hint: "`rollcall doctor --fix` closes them." };
  }
  for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700);
  return ok("permissions", `Closed ${open.length} files and folders to others.`);
}

/** Sockets are in folders of the user alone, and what a link leads to is not ours; anything may be gone by now. */
function isOpenToOthers(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory()) && (found.mode & 0o077) !== 0;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

function spaceCheck(home: string): Check {
  const folder = existsSync(home) ? home : process.cwd();
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${Math.round(free / 1e6)} MB are free where the store is.`;
  if (free >= LITTLE_SPACE) return ok("space", detail);
  return {
    name: "space",
    status: "warning",
    detail,
    hint: "Make room: with a full disk nothing can be recorded.",
  };
}

async function storeCheck(): Promise<Check> {
  await using rollcall = await openRollcall({ warn: () => {} });
  const { sessions, events, problems } = await rollcall.verify();
  const path = storePath(rollcall.context.home);
  if (problems.length === 0) return ok("store", `${path} is sound: ${sessions} sessions, ${events} events.`);
  const detail = `${path} has ${problems.length} problems.`;
  return {
    name: "store",
    status: "failed",
    detail,
    hint: "See `rollcall verify` and `rollcall backup --list`.",
  };
}

/** Mends also the large ones, which opening the store leaves alone; what still lags cannot be written. */
async function filesCheck(home: string): Promise<Check> {
  await using rollcall = await openRollcall({ home, warn: () => {} });
  const { files, store, config } = rollcall.context;
  const isAlive = isDaemonAlive(home);
  await files.repair(config.machine, { mostBytes: Number.POSITIVE_INFINITY, isDaemonAlive: isAlive });
  const behind = await store.laggingFiles(config.machine, 100, isAlive ? { isCarried: false } : undefined);
  if (behind.length === 0) return ok("record files", "All record files are up to date.");
  const detail = `${behind.length} record files cannot be written, such as that of ${behind[0]}.`;
  return {
    name: "record files",
    status: "warning",
    detail,
    hint: "Their workspaces may be gone; the records are safe in the store.",
  };
}

/** Files that a killed backup, restore or `config set` never finished. */
function partialsCheck(home: string, fix: boolean): Check {
  const folders = [home, backupFolder(home), runFolder(home)];
  if (fix) for (const folder of folders) removePartials(folder);
  const found = folders.flatMap(findPartials);
  if (found.length === 0) return ok("partial files", "No killed command left an unfinished file.");
  const detail = `Killed commands left ${found.length} unfinished files, such as ${found[0]}.`;
  const hint = fix ? "They cannot be removed." : "`rollcall doctor --fix` removes them.";
  return { name: "partial files", status: "warning", detail, hint };
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, hint: null };
}
