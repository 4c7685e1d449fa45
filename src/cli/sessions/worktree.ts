import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { makeIgnored } from "../../record/files/record-folder.ts";

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  readonly repository: string;
}

/** One that was made just now can be taken back. */
export interface MadeWorktree extends Worktree {
  readonly isNew: boolean;
}

/** A worktree of the repository around a folder, for one branch; it is made, with the branch, where there is none. */
export function makeWorktree(branch: string | undefined, cwd: string): MadeWorktree | undefined {
  if (branch === undefined) return undefined;
  const repository = git(
    cwd,
    ["rev-parse", "--path-format=absolute", "--git-common-dir"],
    `${cwd} is in no git repository.`,
  );
  if (branch.startsWith("-")) throw failed(`${JSON.stringify(branch)} is not the name of a branch.`);
  git(
    cwd,
    ["check-ref-format", "--branch", branch],
    `${JSON.stringify(branch)} is not the name of a branch.`,
  );
  const root = join(repository, "..");
  const worktree = { path: join(root, ".rollcall", "worktrees", branch), branch, repository: root };
  const isNew = !existsSync(worktree.path);
  if (isNew) addWorktree(cwd, worktree);
  checkBranch(worktree);
  return { ...worktree, isNew };
}

function addWorktree(cwd: string, { path, branch, repository }: Worktree): void {
  checkPlace(repository, branch);
  const isThere = succeeds(cwd, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  const args = ["worktree", "add", ...(isThere ? [path, branch] : ["-b", branch, path])];
  git(cwd, args, `The worktree of ${branch} could not be made.`);
}

/** Someone may have switched it to another branch, or put a folder there. */
function checkBranch({ path, branch }: Worktree): void {
  const found = capture(path, ["rev-parse", "--show-toplevel", "--abbrev-ref", "HEAD"])?.split("\n") ?? [];
  if (found[0] === realpathSync(path) && found[1] === branch) return;
  throw failed(
    `${path} is there, and is no worktree of ${branch}.`,
    "Move it away, or choose another branch.",
  );
}

/** Whether nothing would be lost: no change that is not committed, no commit that is not merged. */
export function isRemovable({ path, branch, repository }: Worktree): boolean {
  if (!existsSync(path)) return false;
  const isClean = capture(path, ["status", "--porcelain"]) === "";
  const head = capture(repository, ["symbolic-ref", "--short", "HEAD"]);
  return (
    isClean &&
    head !== undefined &&
    head !== branch &&
    succeeds(repository, ["merge-base", "--is-ancestor", branch, head])
  );
}

export function removeWorktree({ path, branch, repository }: Worktree): void {
  git(repository, ["worktree", "remove", path], `The worktree ${path} could not be removed.`);
  git(repository, ["branch", "-d", branch], `The branch ${branch} could not be removed.`);
}

export function readWorktree(metadata: Readonly<Record<string, unknown>>): Worktree | undefined {
  const { path, branch, repository } = (metadata.worktree ?? {}) as Partial<Worktree>;
  const isWhole = typeof path === "string" && typeof branch === "string" && typeof repository === "string";
  // An agent can write its own metadata: only worktrees at Rollcall's own path are trusted.
  const isOurs = isWhole && path === join(repository, ".rollcall", "worktrees", branch);
  return isOurs ? { path, branch, repository } : undefined;
}

/** A link on the way would have the worktree made somewhere else, and a foreign ignore file have it committed. */
function checkPlace(repository: string, branch: string): void {
  try {
    makeIgnored(repository);
  } catch (cause) {
    const isOurs = cause instanceof RollcallError;
    throw failed(
      isOurs ? cause.message : `${join(repository, ".rollcall")} is a link or no folder.`,
      "Move it away.",
      cause,
    );
  }
  let place = join(repository, ".rollcall");
  for (const name of ["worktrees", ...branch.split("/").slice(0, -1)]) {
    place = join(place, name);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) throw failed(`${place} is a link or no folder.`, "Move it away.");
  }
}

function git(cwd: string, args: readonly string[], complaint: string): string {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  } catch (cause) {
    const { code, stderr } = cause as { code?: string; stderr?: string };
    const hint = code === "ENOENT" ? "Install git." : (stderr ?? "").trim().split("\n").at(-1);
    throw failed(complaint, hint, cause);
  }
}

function capture(cwd: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

function succeeds(cwd: string, args: readonly string[]): boolean {
  return capture(cwd, args) !== undefined;
}

function failed(message: string, hint?: string, cause?: unknown): RollcallError {
  return new RollcallError("worktree_failed", message, { ...(hint ? { hint } : {}), cause });
}
