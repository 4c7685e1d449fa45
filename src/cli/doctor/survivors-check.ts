import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readTree } from "../../home/known-tree.ts";
import { homeFolder, runFolder } from "../../home/layout.ts";
import { findSurvivors } from "../../home/survivors.ts";
import { commandOf } from "../../machine/marked-process.ts";
import { processTable } from "../../machine/process.ts";
import { type Check, ok } from "../../record/doctor.ts";
import { isHeld } from "./orphans.ts";

/** Processes of launches that lost their holder and guard, by what was known of their tree. They carry no marker, so none is ended. */
export function survivorsCheck(): Check {
  const found = survivorPids();
  if (found.length === 0)
    return ok("survivors", "No process is known to be left of a session whose end is not proven.");
  const shown = found.map((pid) => `${pid} (${commandOf(pid)})`).join(", ");
  return {
    name: "survivors",
    status: "warning",
    detail: `Of sessions whose end is not proven there may still be ${shown}.`,
    hint: "Look at them, and end them with `kill`; Rollcall signals nothing that carries no marker of a session.",
  };
}

function survivorPids(): number[] {
  const table = processTable();
  const found = launchFolders().flatMap((folder) => {
    const tree = isHeld(folder) ? undefined : readTree(folder);
    return tree ? findSurvivors(tree, table).map(({ pid }) => pid) : [];
  });
  return [...new Set(found)];
}

function launchFolders(): string[] {
  const sessions = join(runFolder(homeFolder()), "sessions");
  try {
    return readdirSync(sessions).map((name) => join(sessions, name));
  } catch {
    return [];
  }
}
