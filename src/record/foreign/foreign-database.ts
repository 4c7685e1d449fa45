import {
  type ForeignDatabase,
  hasLogBeside,
  openForeignDatabase,
} from "../../store/sqlite/foreign/foreign-database.ts";

/**
 * A database that an agent keeps, read by the engine that Rollcall has anyway; undefined where there is none. Whoever
 * has locked it is waited for, for `busyMs` at most, and nothing else is done meanwhile.
 */
export function openAgentDatabase(
  path: string,
  tables: readonly string[],
  busyMs?: number,
): ForeignDatabase | undefined {
  return openForeignDatabase(path, tables, busyMs);
}

/** Whether some process has it open, or had until it left without closing it: it is read where it is, and not copied. */
export function isDatabaseInUse(path: string): boolean {
  return hasLogBeside(path);
}
