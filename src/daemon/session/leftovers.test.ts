import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { HolderFile } from "../../host/holder-files.ts";
import { identifyProcess } from "../../machine/process.ts";
import { markedProcess } from "../../testing/living-process.ts";
import { settle, useFakeTime } from "../../testing/session/fake-time.ts";
import { Leftovers } from "./leftovers.ts";

useFakeTime();

/** Another in each run: one that was killed may have left processes. */
const MARKER = randomBytes(16).toString("hex");
/** No program of that name can be started: nothing is signalled. */
const leftovers = new Leftovers("/nowhere/holder");

test("leftovers of a launch are the living processes with its marker but its holder and guard", async () => {
  await using first = await markedProcess(MARKER);
  await using second = await markedProcess(MARKER);
  await using _ = await markedProcess(randomBytes(16).toString("hex"));
  const [guard, holder] = [first, second].map(({ pid }) => identifyProcess(pid));
  const file = { guard, holder } as unknown as HolderFile;
  const of = async (...given: readonly HolderFile[]) =>
    (await leftovers.of(MARKER, "/nowhere", ...given)).map(({ pid }) => pid).sort();
  expect(await of()).toEqual([first.pid, second.pid].sort());
  expect(await of(file)).toEqual([]);
  // A later process may have the pid of the guard.
  expect(await of({ ...file, guard: { ...guard, startTime: "1" } } as HolderFile)).toEqual([first.pid]);
});

test("leftovers that are gone are killed at once; one that lives on is given up after a second", async () => {
  await using living = await markedProcess(MARKER);
  await using dead = await markedProcess(MARKER);
  const [livingIs, deadIs] = [living, dead].map(({ pid }) => identifyProcess(pid));
  await dead.kill();
  if (!livingIs || !deadIs) throw new Error("Both were there.");
  expect(await leftovers.kill(MARKER, [deadIs])).toBe(true);
  const { value, tookMs } = await settle(leftovers.kill(MARKER, [deadIs, livingIs]));
  expect(value).toBe(false);
  expect(tookMs).toBeGreaterThanOrEqual(1000);
});
