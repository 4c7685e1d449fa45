import { writeSync } from "node:fs";
import { join } from "node:path";
import { runDaemon } from "./daemon/run.ts";

/** Put in by the build, from package.json. */
declare const ROLLCALL_VERSION: string;

/** The daemon as a program; `root` is the folder that Rollcall was installed to. */
export async function main(root: string): Promise<void> {
  process.exitCode = await runDaemon({
    version: ROLLCALL_VERSION,
    programs: {
      node: process.execPath,
      holder: join(root, "dist", "native", "rollcall-holder"),
      cli: join(root, "bin", "rollcall.cjs"),
      scripted: join(root, "dist", "agent", "scripted.cjs"),
      importer: join(root, "dist", "daemon", "importer.cjs"),
    },
    tell,
  });
  process.exit();
}

/** The process that started it may be gone already. */
function tell(line: string): void {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // Nobody listens.
  }
}
