import { rmSync } from "node:fs";
import type { SessionRow } from "../../domain/session/session.ts";
import { recordingFolder } from "../../home/layout.ts";
import { removeRecordFile } from "./record-file.ts";

/** What a session has outside the store: its record file, and what its terminal showed. */
export function removeFiles(home: string, { id, hasFile, workspacePath }: SessionRow): void {
  if (hasFile && workspacePath !== null) removeRecordFile(workspacePath, id);
  rmSync(recordingFolder(home, id), { recursive: true, force: true });
}
