import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenOptions, openRollcall, type Rollcall, RollcallError } from "../index.ts";
import { FakeClock } from "./fake-clock.ts";
import { tempFolder } from "./temp-folder.ts";

/** A state folder and a workspace of their own, a clock that is moved by hand, and every warning that was given. */
export interface World extends Disposable {
  readonly home: string;
  readonly workspace: string;
  readonly clock: FakeClock;
  readonly warnings: string[];
  open(options?: OpenOptions): Promise<Rollcall>;
  /** The record file of a session, as it is now. */
  readFile(id: string): { readonly [key: string]: unknown };
  filePath(id: string): string;
}

export function tempWorld(): World {
  const folder = tempFolder();
  const clock = new FakeClock();
  const warnings: string[] = [];
  const home = join(folder.path, "home");
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const filePath = (id: string) => join(workspace, ".rollcall", "sessions", `${id}.json`);
  return {
    home,
    workspace,
    clock,
    warnings,
    filePath,
    open: (options) =>
      openRollcall({
        home,
        cwd: workspace,
        env: {},
        now: clock.now,
        warn: (sentence) => warnings.push(sentence),
        ...options,
      }),
    readFile: (id) => JSON.parse(readFileSync(filePath(id), "utf8")) as { [key: string]: unknown },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof RollcallError) return error.code;
    throw error;
  }
}
