import { mkdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { isJsonObject } from "../../domain/json.ts";
import { toInstant } from "../../domain/time.ts";
import { readForeign } from "../../machine/foreign-file.ts";
import { replaceFile, writeNewFile } from "../../machine/replace-file.ts";

const MOST_BYTES = 16 * 1024 * 1024;

/** The settings of another program, as they are. */
export interface SettingsFile {
  /** The path of the file itself, with links resolved. */
  readonly path: string;
  /** Null where there is none. */
  readonly text: string | null;
}

/** Throws `bad_config` for anything but one JSON object in UTF-8: what is not understood is not written over. */
export function readSettingsFile(given: string): SettingsFile {
  const path = behindLinks(given);
  const text = readText(path);
  if (text === null || text.trim() === "") return { path, text };
  try {
    if (isJsonObject(JSON.parse(text))) return { path, text };
  } catch (cause) {
    throw unusable(path, "is not valid JSON", cause);
  }
  throw unusable(path, "does not hold a JSON object");
}

/**
 * Puts a new text in the place of the one that was read, whole or not at all, and keeps the old one beside it. Returns
 * the path of that, or null where there was none. Refuses where someone else has written since.
 */
export function replaceSettingsFile(
  { path, text }: SettingsFile,
  replacement: string,
  now: number,
): string | null {
  if (readText(path) !== text)
    throw new RollcallError("settings_changed", `${path} has changed meanwhile; it was left as it is.`, {
      hint: "Call it again to see what it would do now.",
    });
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const mode = text === null ? 0o600 : statSync(path).mode & 0o777;
    const backup = text === null ? null : `${path}.before-rollcall-${toInstant(now).replaceAll(/\D/g, "")}`;
    if (backup !== null) writeNewFile(backup, text as string, mode);
    replaceFile(path, replacement, mode);
    return backup;
  } catch (cause) {
    throw new RollcallError("settings_failed", `${path} cannot be written: ${(cause as Error).message}.`, {
      hint: "It was left as it is.",
      cause,
    });
  }
}

/** A link may lead to a file that is not there yet. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return linkTarget(path) ?? path;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}

function readText(path: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readForeign(path, MOST_BYTES));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unusable(path, "cannot be read", cause);
  }
}

function unusable(path: string, why: string, cause?: unknown): RollcallError {
  return new RollcallError("bad_config", `${path} ${why}; nothing was changed.`, {
    hint: "Mend it, or move it away.",
    cause,
  });
}
