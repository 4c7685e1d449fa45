import type { ReadCursor } from "../domain/read-cursor.ts";
import type { Source } from "./sources.ts";

type Known = Pick<ReadCursor, "file">;

export function isUnchanged({ sizeBytes, mtimeMs }: Source, cursor: Known | undefined): boolean {
  return cursor?.file?.sizeBytes === sizeBytes && cursor.file.mtimeMs === mtimeMs;
}

/** Whether it is the one that was read before, with more behind that. Throws where it cannot be read. */
export function isGrown({ reader, path }: Source, { file }: Known): boolean {
  using opened = reader.open(path);
  return !file || !opened || opened.isSame(file);
}
