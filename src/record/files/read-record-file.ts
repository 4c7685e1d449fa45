import { basename } from "node:path";
import { checkInstant } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../domain/json.ts";
import { NOTHING_HAPPENED } from "../../domain/session/apply.ts";
import { isSessionId } from "../../domain/session/id.ts";
import { readRow } from "../../domain/session/read-row.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import { readForeignText, UnfitFileError } from "../../machine/foreign-file.ts";
import { readEntries, type TimedEntry } from "./record-file-entries.ts";
import { readFields, readTotals } from "./record-file-fields.ts";

/** A text cannot be much longer. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface RecordFile {
  readonly row: Omit<SessionRow, "seq">;
  readonly entries: readonly TimedEntry[];
}

/** Throws `corrupt` for a file with anything in it that no record can have: a part of a record is never taken. */
export function readRecordFile(path: string): RecordFile {
  try {
    const file = parse(readText(path));
    const row = rowOf(file);
    if (!row || !isSessionId(row.id) || basename(path) !== `${row.id}.json`)
      throw new RollcallError("bad_input", "no record of that session");
    return { row, entries: readEntries(file, row.createdAt) };
  } catch (cause) {
    if (!(cause instanceof RollcallError)) throw cause;
    const problem = cause.message.replace(/\.$/, "");
    throw new RollcallError("corrupt", `${path} is damaged (${problem}) and was left as it is.`, {
      facts: { path },
      cause,
    });
  }
}

function readText(path: string): string {
  try {
    return readForeignText(path, MOST_BYTES);
  } catch (cause) {
    if (!(cause instanceof UnfitFileError)) throw cause;
    throw new RollcallError("bad_input", "no file, or one of more than 256 MiB", { cause });
  }
}

function parse(text: string): JsonObject {
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (cause) {
    throw new RollcallError("bad_input", "not valid JSON", { cause });
  }
  if (isJsonObject(file)) return file;
  throw new RollcallError("bad_input", "no JSON object");
}

/** Also reads the files of other runtimes that keep only the fields of the first half. */
function rowOf(file: JsonObject): SessionRow | undefined {
  const createdAt = timeOf(file, "createdAt") ?? timeOf(file, "startTime");
  if (createdAt === null) return undefined;
  // In our own files `endTime` is that of the work, which may be over before the process is.
  const endedAt = timeOf(file, file.endedAt === undefined ? "endTime" : "endedAt");
  return readRow({
    ...DEFAULT_IDENTITY,
    origin: "created",
    process: null,
    state: endedAt === null ? "unknown" : "stopped",
    stateSince: endedAt ?? createdAt,
    stateSource: "declared",
    ...NOTHING_HAPPENED,
    startedAt: createdAt,
    lastActiveAt: endedAt ?? createdAt,
    ...readFields(file),
    createdAt,
    endedAt,
    hasFile: true,
    turns: 0,
    totals: readTotals(file),
  });
}

function timeOf(file: JsonObject, name: string): Instant | null {
  const value = file[name] ?? null;
  return value === null ? null : checkInstant(value, name);
}
