import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** Where a program is, or undefined, with a line that says what was not run; on CI that is a failure. */
export function findTool(name: string, howToGet: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(":");
  const found = folders.map((folder) => join(folder, name)).find(isProgram);
  if (found !== undefined) return found;
  const sentence = `not run: ${name} is missing (${howToGet})`;
  if (process.env.CI === "true") throw new Error(sentence);
  process.stdout.write(`${sentence}\n`);
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
