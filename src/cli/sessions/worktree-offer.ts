import type { JsonObject } from "../../domain/json.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { LIVE_STATES } from "../../domain/session/state.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { askYes } from "../framework/ask.ts";
import { isTerminal, type Output } from "../framework/output.ts";
import { isRemovable, makeWorktree, readWorktree, removeWorktree, type Worktree } from "./worktree.ts";

/** For a session whose processes are gone. A person is asked; a program is told how, beside its answer. */
export async function offerWorktree(
  rollcall: Rollcall,
  output: Output,
  { id, metadata }: SessionRecord,
): Promise<void> {
  const worktree = readWorktree(metadata);
  if (!worktree || output.isJson || !isRemovable(worktree)) return;
  if (await isUsedByOther(rollcall, worktree, id)) return;
  const { repository, path, branch } = worktree;
  if (!isTerminal(0) || !isTerminal(1) || !isTerminal(2))
    output.note(
      `Its worktree is clean and merged; remove it with \`git -C ${quoted(repository)} worktree remove ${quoted(path)}\`.`,
    );
  else if (await askYes(`Its worktree is clean and merged. Remove ${path} and the branch ${branch}?`)) {
    removeWorktree(worktree);
    output.note("Removed.");
  }
}

/** Starts something in a worktree of its own where a branch is named; one that was made for a failed start is removed. */
export async function inWorktree<T>(
  rollcall: Rollcall,
  branch: string | undefined,
  cwd: string,
  start: (worktree: Worktree | undefined) => Promise<T>,
): Promise<T> {
  const worktree = makeWorktree(branch, cwd);
  try {
    return await start(worktree);
  } catch (error) {
    const isAlone = worktree?.isNew && isRemovable(worktree);
    if (isAlone && !(await isUsedByOther(rollcall, worktree, null))) removeWorktree(worktree);
    throw error;
  }
}

export function worktreeOf({ path, branch, repository }: Worktree): JsonObject {
  return { path, branch, repository };
}

/** A worktree is used again by who asks for the same branch. */
async function isUsedByOther({ context }: Rollcall, { path }: Worktree, id: string | null): Promise<boolean> {
  const { items } = await context.store.list({
    ...{ states: [...LIVE_STATES, "unknown"], origins: ["started"], limit: 1 },
    where: (row) => row.id !== id && readWorktree(row.metadata)?.path === path,
  });
  return items.length > 0;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
