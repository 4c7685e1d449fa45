import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImportRoots } from "../../home/import-roots.ts";
import { originalsFolder } from "../../home/layout.ts";
import { limitOf } from "../../home/settings.ts";
import type { Context } from "../../record/context.ts";
import { findSources, importRootsOf, type Source } from "../sources.ts";
import { archiveFile } from "./archived-file.ts";

/** Deeper than any agent nests the files of a session. */
const MOST_DEPTH = 6;

export interface ArchiveReport {
  /** Files of which something was copied now, and how many bytes of them. */
  readonly files: number;
  readonly bytes: number;
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

interface ArchiveOptions {
  /** Folders beside the agents' own. */
  readonly roots: ImportRoots;
  readonly signal?: Pick<AbortSignal, "aborted">;
}

/**
 * Copies what agents keep of their conversations, and all that belongs to it, as it is: a resume needs every byte. Only what
 * was added since the last time is read. Nothing of sessions that were deleted, or are older than `retention.originals`.
 */
export async function archiveOriginals(
  context: Context,
  { roots, signal }: ArchiveOptions,
): Promise<ArchiveReport> {
  const failed: { path: string; why: string }[] = [];
  let files = 0;
  let bytes = 0;
  /** A file that cannot be copied keeps no other from it. */
  const attempt = async (path: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => {
      failed.push({ path, why: error instanceof Error ? error.message : String(error) });
    });
  const copy = async (folder: string, path: string) => {
    const read = await archiveFile(folder, path);
    files += read > 0 ? 1 : 0;
    bytes += read;
  };
  for (const source of findSources(context.env, { roots: withOwn(context, roots) })) {
    if (signal?.aborted) break;
    await attempt(source.path, async () => {
      const folder = await folderFor(context, source);
      if (folder === undefined) return;
      for (const path of filesOf(source)) await attempt(path, async () => copy(folder, path));
    });
  }
  return { files, bytes, failed };
}

function withOwn({ env }: Context, roots: ImportRoots): ImportRoots {
  const own = importRootsOf(env, {});
  const types = [...new Set([...Object.keys(own), ...Object.keys(roots)])];
  const both = (type: string) => [...new Set([...(own[type] ?? []), ...(roots[type] ?? [])])];
  return Object.fromEntries(types.map((type) => [type, both(type)]));
}

/** The files of a session stand together, those of its helpers too; undefined for one that is not to be kept. */
async function folderFor(context: Context, source: Source): Promise<string | undefined> {
  const { agent, history, place, mtimeMs } = source;
  if (history.isNotArchived) return undefined;
  const nativeId = place.parent ?? place.nativeId;
  const folder = nativeId === null ? undefined : originalsFolder(context.home, agent.type, nativeId);
  const mostMs = limitOf(context.config, "retention.originals");
  if (folder === undefined || nativeId === null) return undefined;
  if (mostMs !== null && mtimeMs < context.now() - mostMs) return undefined;
  if (await context.store.isTombstone({ agentType: agent.type, nativeId })) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Links are not followed, neither in the folder nor in its own place: an agent could have any file of its user copied. */
function filesOf({ path, history }: Source): string[] {
  const folder = history.companions?.(path);
  const isThere =
    folder !== undefined && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return [path, ...(isThere ? filesIn(folder, 0) : [])];
}

/** All but histories, which come by themselves. */
function filesIn(folder: string, depth: number): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth < MOST_DEPTH ? filesIn(path, depth + 1) : [];
    return entry.isFile() && !entry.name.endsWith(".jsonl") ? [path] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
