import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** The paths of all files in a folder and in those below it, down to a depth; links are not followed. */
export function filesBelow(folder: string, mostDepth: number): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return mostDepth > 0 ? filesBelow(path, mostDepth - 1) : [];
    return entry.isFile() ? [path] : [];
  });
}

/** None of a folder that is not there, or may not be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
