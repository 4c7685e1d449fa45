import { execFileSync } from "node:child_process";
import { constants, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { readForeign, readForeignText, UnfitFileError } from "./foreign-file.ts";

const MIB = 1024 * 1024;

describe("a file that others wrote", () => {
  test("is read whole, up to the last byte that is allowed", () => {
    using folder = tempFolder();
    const path = join(folder.path, "file");
    for (const size of [0, 1, 4096, 4097, 100_000]) {
      writeFileSync(path, "x".repeat(size));
      expect(readForeign(path, Math.max(size, 1)).length).toBe(size);
    }
    expect(() => readForeign(path, 99_999)).toThrow(UnfitFileError);
  });

  test("is read behind a link, unless that is excluded", () => {
    using folder = tempFolder();
    const [path, link] = [join(folder.path, "file"), join(folder.path, "link")];
    writeFileSync(path, "text");
    symlinkSync(path, link);
    expect(readForeignText(link, MIB)).toBe("text");
    expect(() => readForeign(link, MIB, constants.O_NOFOLLOW)).toThrow(UnfitFileError);
  });

  test("is refused where it is a fifo, a device or a folder, without waiting", () => {
    using folder = tempFolder();
    const at = (name: string) => join(folder.path, name);
    execFileSync("mkfifo", [at("fifo")]);
    symlinkSync("/dev/zero", at("zero"));
    mkdirSync(at("folder"));
    for (const name of ["fifo", "zero", "folder"])
      expect(() => readForeign(at(name), MIB)).toThrow(`${at(name)} is not a regular file.`);
  });

  test("is refused by its size before anything is read, and by its content where it tells no size", () => {
    using folder = tempFolder();
    const path = join(folder.path, "sparse");
    writeFileSync(path, "");
    truncateSync(path, 2 ** 40);
    expect(() => readForeign(path, MIB)).toThrow(`${path} is larger than 1 MiB.`);
    expect(readForeignText("/proc/self/status", MIB)).toContain("Pid:");
    expect(() => readForeign("/proc/self/status", 10)).toThrow(UnfitFileError);
  });
});
