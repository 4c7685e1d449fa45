import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { partialPath, removePartials } from "./partial-file.ts";

const YESTERDAY = Date.now() / 1000 - 25 * 60 * 60;

/** The name that this process would use, with parts of it exchanged. */
function nameWith(parts: { pid?: number; startTime?: string; space?: string }): string {
  const [pid, startTime, space, number] = partialPath("").replace(".partial-", "").split("-");
  return `.partial-${parts.pid ?? pid}-${parts.startTime ?? startTime}-${parts.space ?? space}-${number}`;
}

/** The pid of a process that has run and is gone. */
async function gonePid(): Promise<number> {
  const child = spawn("true");
  await once(child, "close");
  return child.pid as number;
}

async function leftOf(make: (folder: string) => void): Promise<string[]> {
  using folder = tempFolder();
  make(folder.path);
  removePartials(folder.path);
  return readdirSync(folder.path).sort();
}

test("partial files of a writer that is gone are removed, with their journals", async () => {
  const name = `a.db${nameWith({ pid: await gonePid() })}`;
  const left = await leftOf((folder) => {
    for (const end of ["", "-journal", "-wal", "-shm"]) writeFileSync(join(folder, name + end), "");
  });
  expect(left).toEqual([]);
});

test("a partial file of a pid that another process has now is removed", async () => {
  expect(
    await leftOf((folder) => writeFileSync(join(folder, `a${nameWith({ startTime: "1" })}`), "")),
  ).toEqual([]);
});

test("a partial file of a living writer stays, however old it is", async () => {
  const name = `a${nameWith({})}`;
  const left = await leftOf((folder) => {
    writeFileSync(join(folder, name), "");
    utimesSync(join(folder, name), YESTERDAY, YESTERDAY);
  });
  expect(left).toEqual([name]);
});

test("a partial file of another boot or container stays for a day after its last write", async () => {
  const pid = await gonePid();
  const name = `a${nameWith({ pid, space: "f".repeat(16) })}`;
  const old = `b${nameWith({ pid, space: "f".repeat(16) })}`;
  const left = await leftOf((folder) => {
    for (const each of [name, old]) writeFileSync(join(folder, each), "");
    utimesSync(join(folder, old), YESTERDAY, YESTERDAY);
  });
  expect(left).toEqual([name]);
});

test("names that are not exactly ours, links and folders stay", async () => {
  const gone = nameWith({ pid: await gonePid() });
  const names = ["a.partial-999999999", `a${gone}.txt`, `a${gone}0`, gone.slice(1), `a${gone.toUpperCase()}`];
  const left = await leftOf((folder) => {
    for (const name of names) writeFileSync(join(folder, name), "");
    symlinkSync("nowhere", join(folder, `link${gone}`));
    mkdirSync(join(folder, `folder${gone}`));
  });
  expect(left).toEqual([...names, `link${gone}`, `folder${gone}`].sort());
});

test("a folder that is not there has nothing to remove", () => {
  expect(() => removePartials("/nonexistent/folder")).not.toThrow();
});
