import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readForeignText } from "./foreign-file.ts";

export interface GitPlace {
  readonly gitBranch: string | null;
  readonly gitCommit: string | null;
}

/** The most bytes of a file of git that names one thing. */
const MOST_BYTES = 64 * 1024;
/** The most bytes of all its packed refs: about two hundred thousand. */
const MOST_PACKED_BYTES = 16 * 1024 * 1024;
const NO_GIT: GitPlace = { gitBranch: null, gitCommit: null };

/** The git root around a folder, else the folder itself. */
export function workspaceOf(folder: string): string {
  const start = resolve(folder);
  return findUp(start) ?? start;
}

/** The branch and commit of a folder's work tree, read from git's own files: no program is started for it. */
export function gitPlaceOf(folder: string): GitPlace {
  const root = findUp(resolve(folder));
  if (root === undefined) return NO_GIT;
  try {
    return readHead(gitFolderOf(root));
  } catch {
    return NO_GIT;
  }
}

/** Folders that belong to more than one project: no record file is put there. */
export function isSharedFolder(folder: string): boolean {
  const path = realPathOf(folder);
  return path === realPathOf("/") || path === realPathOf(homedir());
}

/** Without links, as far as it exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function findUp(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isGitRoot(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** As git itself sees it: an empty `.git`, such as a sandbox leaves behind, is none. */
function isGitRoot(folder: string): boolean {
  const found = statSync(join(folder, ".git"), { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || existsSync(join(folder, ".git", "HEAD")));
}

/** `.git` is a folder, or in a linked work tree a file that names one. */
function gitFolderOf(root: string): string {
  const path = join(root, ".git");
  if (statSync(path).isDirectory()) return path;
  return resolve(
    root,
    readForeignText(path, MOST_BYTES)
      .replace(/^gitdir:/, "")
      .trim(),
  );
}

function readHead(gitFolder: string): GitPlace {
  const head = readForeignText(join(gitFolder, "HEAD"), MOST_BYTES).trim();
  if (!head.startsWith("ref:")) return { gitBranch: null, gitCommit: head };
  const ref = head.slice(4).trim();
  return { gitBranch: ref.replace(/^refs\/heads\//, ""), gitCommit: readRef(gitFolder, ref) };
}

function readRef(gitFolder: string, ref: string): string | null {
  const common = readIfThere(join(gitFolder, "commondir"));
  const folder = common === undefined ? gitFolder : resolve(gitFolder, common.trim());
  const loose = readIfThere(join(gitFolder, ref)) ?? readIfThere(join(folder, ref));
  if (loose !== undefined) return loose.trim();
  const packed = readIfThere(join(folder, "packed-refs"), MOST_PACKED_BYTES)?.split("\n") ?? [];
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? null;
}

/** Undefined for anything but a file of git's own kind, too. */
function readIfThere(path: string, mostBytes = MOST_BYTES): string | undefined {
  try {
    return readForeignText(path, mostBytes);
  } catch {
    return undefined;
  }
}
