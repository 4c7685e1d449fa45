import { rmSync } from "node:fs";
import type { SessionRow } from "../../domain/session/session.ts";
import { keptTranscriptFolder, originalsFolder, recordingFolder } from "../../home/layout.ts";
import { removeRecordFile } from "./record-file.ts";

/** Everything that a session has outside the store: its record file, what its terminal showed, copies of its agent's files. */
export function removeFiles(home: string, row: SessionRow): void {
  const { id, hasFile, workspacePath, agentType, nativeId } = row;
  if (hasFile && workspacePath !== null) removeRecordFile(workspacePath, id);
  for (const folder of [recordingFolder(home, id), keptTranscriptFolder(home, id)])
    rmSync(folder, { recursive: true, force: true });
  const originals = nativeId === null ? undefined : originalsFolder(home, agentType, nativeId);
  if (originals !== undefined) rmSync(originals, { recursive: true, force: true });
}
