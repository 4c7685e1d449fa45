import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Driver } from "./driver.ts";
import { missingTool } from "./mounts.ts";
import { Place } from "./place.ts";
import { report, times } from "./scale.ts";
import { hasProgram, sh } from "./sh.ts";
import type { Answer } from "./workers/driver.ts";

const reason = hasProgram("cc") ? undefined : missingTool("cc", "apt-get install build-essential");
if (reason !== undefined) report(`failing reads and writes: not run: ${reason}`);

/** The first calls are tried one by one, and then every so many. */
const STRIDE = times(5, 1);
const MOST_CALLS = 10_000;

type Work = (driver: Driver, place: Place, nth: number) => Promise<Answer<unknown>>;

const WORKS: readonly (readonly [name: string, work: Work])[] = [
  ["open of a new store", (driver, place, nth) => driver.ask("open", place.path(`new-${nth}`), place.root)],
  ["list, search and export", (driver) => driver.ask("readAll")],
  ["verify", (driver) => driver.ask("verify")],
  ["backup", (driver, place, nth) => driver.ask("backup", place.path(`copy-${nth}.db`))],
  ["restore", (driver, place) => driver.ask("restore", place.path("home"), place.path("good.db"))],
  ["delete", (driver, _place, nth) => driver.ask("remove", nth)],
];

describe.skipIf(reason !== undefined)("a disk that fails at any call", () => {
  test.each(WORKS)("%s refuses in words, never with a code of the database engine", async (name, work) => {
    using place = new Place("io");
    const counter = place.path("counter");
    await using driver = await newDriver(place, counter);
    let refused = 0;
    for (let nth = 0; nth < MOST_CALLS; nth += nth < 20 ? 1 : STRIDE) {
      await driver.get("open", place.path("home"), place.root);
      writeFileSync(counter, String(nth).padEnd(8));
      const answer = await work(driver, place, nth);
      const isOver = Number(readFileSync(counter, "utf8")) > 0;
      rmSync(counter);
      if ("error" in answer) refused++;
      if ("error" in answer) expect({ nth, ...answer.error }).toMatchObject(OURS);
      if (isOver) break;
    }
    expect(refused).toBeGreaterThan(0);
    report(`EIO during ${name}: ${refused} refusals, all in words`);
  });
});

const OURS = {
  code: expect.stringMatching(/^(?:store_|backup_failed)/),
  message: expect.not.stringMatching(/SQLITE|disk I\/O|EIO/),
  hint: expect.any(String),
};

async function newDriver(place: Place, counter: string): Promise<Driver> {
  const library = place.path("failing-io.so");
  sh("cc", "-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dirname, "failing-io.c"), "-ldl");
  const driver = new Driver({ env: { ...place.env, LD_PRELOAD: library, FAIL_IO_AFTER: counter } });
  await driver.get("open", place.path("home"), place.root);
  const id = await driver.get("create", false);
  await driver.get("record", id, 0, 30, 2000);
  await driver.get("backup", place.path("good.db"));
  return driver;
}
