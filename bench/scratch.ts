import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary folders and child processes; none is left behind, however the run ends. */
export class Scratch {
  readonly #root = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  readonly #children = new Set<ChildProcess>();

  constructor() {
    process.once("exit", () => this.#clear());
    process.once("SIGINT", () => process.exit(130));
    process.once("SIGTERM", () => process.exit(143));
  }

  folder(): string {
    return mkdtempSync(join(this.#root, "home-"));
  }

  remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
  }

  watch(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    return child;
  }

  #clear(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    this.remove(this.#root);
  }
}

/** The environment of children: no variable may weigh on one side of a comparison. */
export function childEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ROLLCALL_SESSION_ID, ...env } = process.env;
  return { ...env, ...more };
}
