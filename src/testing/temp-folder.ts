import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends Disposable {
  readonly path: string;
}

/** A folder of its own that is gone at the end of the block that holds it. */
export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-test-")));
  return {
    path,
    [Symbol.dispose]: () => {
      chmodSync(path, 0o700);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
