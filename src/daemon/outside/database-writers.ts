import { readFileSync, readlinkSync } from "node:fs";
import type { OutsideRows } from "../../agents/agent.ts";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { pidsWriting } from "../../machine/open-files.ts";
import { markerOf } from "../../machine/proc.ts";
import { isOwnProcess, readOfProcess } from "../../machine/process.ts";
import { processOf } from "./live-files.ts";

/** The processes that may have written into a conversation of a database. */
export interface Writers {
  /** Only processes of launches of ours have it open: what grows there is theirs. */
  readonly areOurs: boolean;
  /** Whether any process outside has it open. */
  readonly areThere: boolean;
  /** The only process that can be the one; undefined where two can, or none. */
  readonly process: ProcessIdentity | undefined;
}

/** Looks at who has the database open and works in the folder of the conversation. */
export function writersOf(database: string, cwd: string | null, rows: OutsideRows): Writers {
  const all = pidsWriting(database).filter(isOwnProcess);
  const outside = all.filter((pid) => markerOf(pid) === undefined);
  const here = outside.filter((pid) => cwdOf(pid) === cwd);
  const mayBeAnother = outside.some((pid) => !here.includes(pid) && rows.worksAnywhere(commandOf(pid)));
  const isOne = cwd !== null && here.length === 1 && !mayBeAnother;
  return {
    areOurs: all.length > 0 && outside.length === 0,
    areThere: outside.length > 0,
    process: isOne ? processOf(here[0]) : undefined,
  };
}

function cwdOf(pid: number): string {
  return readOfProcess(pid, (folder) => readlinkSync(`${folder}/cwd`));
}

function commandOf(pid: number): readonly string[] {
  return readOfProcess(pid, (folder) => readFileSync(`${folder}/cmdline`, "utf8")).split("\0");
}
