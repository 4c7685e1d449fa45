import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const GLIBC_LOADERS = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];

let found: string | undefined;

/**
 * The compiled part of better-sqlite3. Its own search asks for a diagnostic report of the whole process, which takes
 * longer than opening a database, and does not work from inside a bundle.
 */
export function nativeBinding(): string {
  found ??= findBinding();
  return found;
}

function findBinding(): string {
  const isMusl = process.platform === "linux" && !GLIBC_LOADERS.some((path) => existsSync(path));
  const prebuilt = join("prebuilds", `${isMusl ? "linuxmusl" : process.platform}-${process.arch}.node`);
  // The way Node looks for a package, without the cost of asking it.
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "node_modules", "better-sqlite3", prebuilt);
    if (existsSync(path)) return path;
  }
  const folder = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));
  const path = join(folder, prebuilt);
  return existsSync(path) ? path : join(folder, "build", "Release", "better_sqlite3.node");
}
