import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The file in the folder of a launch that says which session it is of: a resume makes another folder. */
export const SESSION_FILE = "session";

/** Undefined where it does not say. */
export function sessionOfLaunch(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, SESSION_FILE), "utf8");
  } catch {
    return undefined;
  }
}
