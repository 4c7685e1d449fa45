import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

export const LAUNCHER = join(root, "bin", "rollcall.cjs");

/** Why the command line cannot be measured; undefined where it can. */
export function cliMissing(): string | undefined {
  return existsSync(join(root, "dist", "cli", "main.cjs")) ? undefined : "not built (npm run build)";
}
