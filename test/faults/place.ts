import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { sh } from "./sh.ts";

/** Whatever we start carries this in its environment, so that what is left of it can be found. */
const MARK = "ROLLCALL_FAULTS_PLACE";

/** A folder of its own for one test, with proof at the end that nothing of it is left behind. */
export class Place implements Disposable {
  readonly root: string;

  constructor(name: string) {
    this.root = mkdtempSync(join(realpathSync(tmpdir()), `rollcall-${name}-`));
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.folder("user"), [MARK]: this.root };
  }

  folder(...names: string[]): string {
    const path = join(this.root, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /** Fails, after having cleared it away, when a process, a mount or a loop device of this place is left. */
  [Symbol.dispose](): void {
    const left = [...this.#processes(), ...this.#mounts(), ...this.#loopDevices()];
    for (const { clear } of left) clear();
    rmSync(this.root, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`Left behind: ${left.map(({ what }) => what).join(", ")}.`);
  }

  #processes(): Leftover[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids
      .filter((pid) => readOr(`/proc/${pid}/environ`).split("\0").includes(`${MARK}=${this.root}`))
      .map((pid) => ({ what: `process ${pid}`, clear: () => process.kill(Number(pid), "SIGKILL") }));
  }

  #mounts(): Leftover[] {
    const points = readOr("/proc/self/mounts")
      .split("\n")
      .map((line) => line.split(" ")[1] ?? "");
    return points
      .filter((point) => point.startsWith(this.root))
      .map((point) => ({ what: `mount ${point}`, clear: () => sh("umount", "-l", point) }));
  }

  #loopDevices(): Leftover[] {
    const devices = readdirSync("/sys/block").filter((name) => name.startsWith("loop"));
    return devices
      .filter((name) => readOr(`/sys/block/${name}/loop/backing_file`).startsWith(this.root))
      .map((name) => ({
        what: `loop device ${name}`,
        clear: () => sh("losetup", "-d", `/dev/${basename(name)}`),
      }));
  }
}

interface Leftover {
  readonly what: string;
  readonly clear: () => void;
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
