import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { checkSessionId } from "../../domain/session/id.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import { stamp } from "../context.ts";
import type { Rollcall } from "../rollcall.ts";
import { type RecordFile, readRecordFile } from "./read-record-file.ts";
import { recordFilePath } from "./record-file.ts";
import { sessionsFolder } from "./record-folder.ts";

export interface RestoreFilesReport {
  readonly restored: readonly string[];
  /** In the store already, and left alone. */
  readonly present: readonly string[];
  readonly corrupt: readonly { readonly path: string; readonly problem: string }[];
}

/** Rebuilds sessions that the store does not have from the record files of a folder. Damaged files are named and kept. */
export async function restoreFromFiles(rollcall: Rollcall, folder: string): Promise<RestoreFilesReport> {
  const report = {
    restored: [] as string[],
    present: [] as string[],
    corrupt: [] as { path: string; problem: string }[],
  };
  for (const path of recordFilesIn(folder)) {
    try {
      const file = readRecordFile(path);
      if (await rollcall.find(file.row.id)) report.present.push(file.row.id);
      else report.restored.push(await rebuild(rollcall, file));
    } catch (error) {
      if (!(error instanceof RollcallError) || error.code !== "corrupt") throw error;
      report.corrupt.push({ path, problem: error.message });
    }
  }
  return report;
}

export async function restoreFile(rollcall: Rollcall, path: string): Promise<string> {
  return rebuild(rollcall, readRecordFile(path));
}

/** The file of a session that the store does not know, in the workspace we are in. */
export function findRecordFile(rollcall: Rollcall, id: string): string {
  const path = recordFilePath(workspaceOf(rollcall.context.cwd), checkSessionId(id));
  if (existsSync(path)) return path;
  throw new RollcallError(
    "session_not_found",
    `There is no session ${id}, neither in the store nor at ${path}.`,
    {
      hint: "See `rollcall list`.",
    },
  );
}

/** A folder of record files, or a workspace that holds one. */
function recordFilesIn(folder: string): string[] {
  const inside = sessionsFolder(folder);
  const place = existsSync(inside) ? inside : folder;
  if (!existsSync(place)) {
    throw new RollcallError("not_found", `There is no folder ${folder}.`, {
      hint: "Name a workspace or a folder of record files.",
    });
  }
  const names = readdirSync(place).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(place, name));
}

async function rebuild(rollcall: Rollcall, { row, entries }: RecordFile): Promise<string> {
  const { context } = rollcall;
  const restored = stamp(context, { kind: "restored", row: { ...row, turns: 0 } }, row.lastActiveAt);
  const rest = entries.map(({ at, entry }) => stamp(context, { kind: "entry_added", entry }, at));
  await context.store.change(row.id, () => [restored, ...rest], { expectedSeq: 0 });
  await rollcall.saveFile(row.id);
  return row.id;
}
