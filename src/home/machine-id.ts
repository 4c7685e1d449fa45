import { linkSync, rmSync } from "node:fs";
import { RollcallError } from "../domain/errors.ts";
import { readForeignText } from "../machine/foreign-file.ts";
import { partialPath } from "../machine/partial-file.ts";
import { randomBytes } from "../machine/random.ts";
import { writeNewFile } from "../machine/replace-file.ts";
import { machineIdPath } from "./layout.ts";

const MOST_BYTES = 1024;
const FORM = /^[0-9a-f]{32}$/;

/**
 * The random id of this machine, made at the first call: hostnames change, and two machines may share one. Throws
 * `corrupt` where the file holds something else; it is left as it is.
 */
export function machineIdOf(home: string): string {
  return find(home) ?? make(home);
}

function find(home: string): string | undefined {
  const path = machineIdPath(home);
  try {
    const id = readForeignText(path, MOST_BYTES).trim();
    if (FORM.test(id)) return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  throw new RollcallError("corrupt", `${path} holds no machine id; it was left as it is.`, {
    hint: "Delete it: the daemon then makes a new one, and counts as another machine.",
    facts: { path },
  });
}

/** Whole or not at all, and never over that of another process, which may make one at the same moment. */
function make(home: string): string {
  const path = machineIdPath(home);
  const partial = partialPath(path);
  const id = randomBytes(16).toString("hex");
  try {
    writeNewFile(partial, `${id}\n`, 0o600);
    linkSync(partial, path);
    return id;
  } catch (error) {
    const made = (error as NodeJS.ErrnoException).code === "EEXIST" ? find(home) : undefined;
    if (made === undefined) throw error;
    return made;
  } finally {
    rmSync(partial, { force: true });
  }
}
