import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, readJsonObject } from "../domain/json.ts";
import { readForeignText } from "../machine/foreign-file.ts";
import { replaceFile } from "../machine/replace-file.ts";

/** Folders and files with histories by agent type, in the order in which they count. */
export type ImportRoots = Readonly<Record<string, readonly string[]>>;

const MOST_BYTES = 1024 * 1024;

export function importRootsPath(home: string): string {
  return join(home, "imports.json");
}

/** Where histories were imported from; nothing where none was, or the file cannot be understood. */
export function readImportRoots(home: string): ImportRoots {
  const path = importRootsPath(home);
  if (!existsSync(path)) return {};
  const kept = readKept(path);
  return Object.fromEntries(
    Object.entries(kept).map(([type, roots]) => [
      type,
      Array.isArray(roots) ? roots.filter((root) => typeof root === "string") : [],
    ]),
  );
}

/** Remembers them for the daemon. Writes nothing where all are known. */
export function addImportRoots(home: string, more: ImportRoots): void {
  const known = readImportRoots(home);
  const types = [...new Set([...Object.keys(known), ...Object.keys(more)])];
  const all = Object.fromEntries(
    types.map((type) => [type, [...new Set([...(known[type] ?? []), ...(more[type] ?? [])])]]),
  );
  if (JSON.stringify(all) === JSON.stringify(known)) return;
  replaceFile(importRootsPath(home), `${JSON.stringify(all, null, 2)}\n`, 0o600);
}

function readKept(path: string) {
  try {
    const kept = readJsonObject(readForeignText(path, MOST_BYTES));
    return isJsonObject(kept) ? kept : {};
  } catch {
    return {};
  }
}
