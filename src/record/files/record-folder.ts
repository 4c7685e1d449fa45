import { accessSync, constants, lstatSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { type OwnFolder, openBelow } from "../../machine/own-folder.ts";
import { partialPath, removePartials } from "../../machine/partial-file.ts";
import { isSharedFolder } from "../../machine/workspace.ts";

const FOLDER = ".rollcall";
const SESSIONS = "sessions";
const IGNORE = ".gitignore";
const MOST_IGNORE_BYTES = 64 * 1024;

export function sessionsFolder(workspace: string): string {
  return join(workspace, FOLDER, SESSIONS);
}

/** The folder of record files; undefined where there is none, or a link in its place. */
export function findSessionsFolder(workspace: string): OwnFolder | undefined {
  try {
    return openBelow(workspace, [FOLDER, SESSIONS], false);
  } catch {
    return undefined;
  }
}

/** It is made where it is missing, in a folder that git ignores. */
export function makeSessionsFolder(workspace: string): OwnFolder {
  const why = whyNoFile(workspace);
  if (why !== undefined) throw new RollcallError("bad_input", why);
  makeIgnored(workspace);
  return openBelow(workspace, [FOLDER, SESSIONS], true);
}

/** Our own folder in a workspace or repository, which ignores itself. Throws where git would not ignore what is put there. */
export function makeIgnored(workspace: string): void {
  using folder = openBelow(workspace, [FOLDER], true);
  if (isMissing(folder)) writeIgnore(folder);
  const why = whyNotIgnored(folder, workspace);
  if (why !== undefined) throw new RollcallError("bad_input", `${why}.`);
}

/** A power cut can leave an empty file, which says nothing. */
function isMissing(folder: OwnFolder): boolean {
  const found = lstatSync(folder.at(IGNORE), { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0);
}

/** Whole from the first moment on: others may look at it at the same time, and the power may go. */
function writeIgnore(folder: OwnFolder): void {
  removePartials(folder.at("."));
  const partial = partialPath(folder.at(IGNORE));
  try {
    writeFileSync(partial, "*\n", { flag: "wx", flush: true });
    renameSync(partial, folder.at(IGNORE));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Why a workspace can hold no record files: one that is gone is not made anew, and shared folders stay clean. */
export function whyNoFile(workspace: string): string | undefined {
  const no = `No record file can be kept in ${workspace}`;
  if (isSharedFolder(workspace)) return `${no}: it is no project of its own.`;
  try {
    if (!statSync(workspace).isDirectory()) return `${no}: it is not a folder.`;
    accessSync(workspace, constants.W_OK);
  } catch {
    return `${no}: it cannot be written.`;
  }
  const why = whyUnfit(workspace);
  return why === undefined ? undefined : `${no}: ${why}.`;
}

/** A link that an agent or a repository has put there could lead us elsewhere, or into the next commit. */
function whyUnfit(workspace: string): string | undefined {
  for (const names of [[FOLDER], [FOLDER, SESSIONS]]) {
    try {
      using folder = openBelow(workspace, names, false);
      const why = names.length === 1 ? whyNotIgnored(folder, workspace) : undefined;
      if (why !== undefined) return why;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      return `${join(workspace, ...names)} is a link or no folder`;
    }
  }
  return undefined;
}

/** Undefined also where there is no ignore file yet. */
function whyNotIgnored(folder: OwnFolder, workspace: string): string | undefined {
  if (isMissing(folder)) return undefined;
  const path = join(workspace, FOLDER, IGNORE);
  try {
    const text = readForeignText(folder.at(IGNORE), MOST_IGNORE_BYTES, constants.O_NOFOLLOW);
    return ignoresAll(text) ? undefined : `${path} does not ignore everything`;
  } catch {
    return `${path} is not a regular file`;
  }
}

/** As git reads it: spaces count but at the end of a line, and so does any other blank. The ignore file itself may be committed. */
function ignoresAll(text: string): boolean {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, "").replace(/ +$/, ""));
  const isExcepted = (line: string) => line.startsWith("!") && !/^!\/?\.gitignore$/.test(line);
  return lines.includes("*") && !lines.some(isExcepted);
}
