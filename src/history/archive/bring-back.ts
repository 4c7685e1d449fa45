import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { originalsFolder } from "../../home/layout.ts";
import { partialPath, removePartials } from "../../machine/partial-file.ts";
import { type ArchiveNote, notesIn } from "./archived-file.ts";

/**
 * Puts files of a session that its agent has deleted back in their place, from their copies. A file that is there stays as it
 * is. They get the time of now: an agent that cleans up by age would take them away again.
 */
export async function bringBackOriginals(
  home: string,
  { agentType, nativeId }: { readonly agentType: string; readonly nativeId: string },
): Promise<string[]> {
  const folder = originalsFolder(home, agentType, nativeId);
  const missing = folder === undefined ? [] : notesIn(folder).filter(({ path }) => !existsSync(path));
  for (const note of missing) await bringBack(folder as string, note);
  return missing.map(({ path }) => path);
}

async function bringBack(folder: string, { path, packed, packedBytes, file }: ArchiveNote): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removePartials(dirname(path));
  const partial = partialPath(path);
  try {
    await pipeline(
      createReadStream(join(folder, packed), { end: packedBytes - 1 }),
      createGunzip(),
      createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }),
    );
    if (statSync(partial).size !== file.sizeBytes) throw new Error(`The copy of ${path} is damaged.`);
    // Fails where somebody has made it in between.
    linkSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}
