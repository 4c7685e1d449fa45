import type { SessionRecord } from "../domain/session.ts";
import { LIVE_STATES } from "../domain/state.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { askYes } from "./ask.ts";
import { isTerminal, type Output } from "./output.ts";
import { isRemovable, readWorktree, removeWorktree, type Worktree } from "./worktree.ts";

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

/** A worktree is used again by who asks for the same branch. */
export async function isUsedByOther(
  { context }: Rollcall,
  { path }: Worktree,
  id: string | null,
): Promise<boolean> {
  const { items } = await context.store.list({
    ...{ states: [...LIVE_STATES, "unknown"], origins: ["started"], limit: 1 },
    where: (row) => row.id !== id && readWorktree(row.metadata)?.path === path,
  });
  return items.length > 0;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
