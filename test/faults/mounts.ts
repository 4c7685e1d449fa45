import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { Place } from "./place.ts";
import { hasProgram, sh } from "./sh.ts";

/** A file system of its own at a folder, unmounted with `using`. */
class Mount implements Disposable {
  readonly path: string;
  #isMounted = true;

  constructor(path: string, args: readonly string[]) {
    mkdirSync(path, { recursive: true });
    sh("mount", ...args, path);
    this.path = path;
  }

  /** `size=8m`, `ro`, `nr_inodes=100`, … */
  remount(options: string): void {
    sh("mount", "-o", `remount,${options}`, this.path);
  }

  [Symbol.dispose](): void {
    if (!this.#isMounted) return;
    this.#isMounted = false;
    sh("umount", this.path);
  }
}

export function mountTmpfs(path: string, options: string): Mount {
  return new Mount(path, ["-t", "tmpfs", "-o", `${options},mode=0700`, "rollcall-faults"]);
}

/** An ext4 in a file. The journal is left to fsync: a commit by timer in mid-copy would be no cut at all. */
export function makeImage(image: string, bytes: number): void {
  writeFileSync(image, "");
  truncateSync(image, bytes);
  sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image);
}

export function mountImage(image: string, path: string): Mount {
  return new Mount(path, ["-o", "loop,commit=300", image]);
}

/** What the disk holds at this moment, without what the kernel still keeps back. */
export function copyImage(image: string, copy: string): void {
  copyFileSync(image, copy);
}

type Ability = "tmpfs" | "image";

/**
 * Why this machine cannot do it, or undefined. A program that could be installed is a failure under CI; what the
 * kernel forbids is not.
 */
export function whyNot(ability: Ability): string | undefined {
  const programs = ability === "image" ? ["mount", "umount", "mkfs.ext4", "losetup"] : ["mount", "umount"];
  const missing = programs.filter((name) => !hasProgram(name));
  if (missing.length > 0) return missingTool(missing.join(", "), "apt-get install mount e2fsprogs");
  if (process.getuid?.() !== 0) return "only root may mount (run it as root)";
  using place = new Place("probe");
  try {
    if (ability === "image") makeImage(place.path("image"), 8 << 20);
    using _ =
      ability === "image"
        ? mountImage(place.path("image"), place.path("m"))
        : mountTmpfs(place.path("m"), "size=1m");
    return undefined;
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n").slice(1);
    return `the kernel forbids it: ${line} (run it on a machine, or in a container with CAP_SYS_ADMIN and loop devices)`;
  }
}

export function missingTool(name: string, how: string): string {
  if (process.env.CI === "true") throw new Error(`${name} is missing: ${how}`);
  return `${name} is missing (${how})`;
}
