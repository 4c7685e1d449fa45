import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Child } from "./child.ts";
import { Driver } from "./driver.ts";
import { copyImage, makeImage, mountImage, whyNot } from "./mounts.ts";
import { Place } from "./place.ts";
import { type Random, report, seededRandom, times } from "./scale.ts";

const reason = whyNot("image");
if (reason !== undefined) report(`power cut: not run: ${reason}`);

test.skipIf(reason !== undefined)("a power cut takes no acknowledged call", async () => {
  using place = new Place("power");
  const random = seededRandom("power cut");
  const cuts = times(3, 8);
  const all: Cut[] = [];
  for (let n = 0; n < cuts; n++) all.push(await cutOnce(place, random, n === 0));
  const sum = (pick: (cut: Cut) => number) => all.reduce((total, cut) => total + pick(cut), 0);
  report(
    `power cut: ${cuts} cuts, ${sum((cut) => cut.acknowledged)} acknowledged, ${sum((cut) => cut.lost)} lost; ` +
      `of ${sum((cut) => cut.written)} lines that nobody made durable ${sum((cut) => cut.taken)} were taken`,
  );
  expect(sum((cut) => cut.lost)).toBe(0);
  // Otherwise nothing was cut, and the test would prove nothing.
  expect(sum((cut) => cut.taken)).toBeGreaterThan(0);
});

interface Cut {
  readonly acknowledged: number;
  readonly lost: number;
  /** Lines of the file that was written without any promise, and how many of them the cut took. */
  readonly written: number;
  readonly taken: number;
}

async function cutOnce(place: Place, random: Random, isEarly: boolean): Promise<Cut> {
  const [image, copy, disk] = [place.path("image"), place.path("copy"), place.path("disk")];
  makeImage(image, 64 << 20);
  const [home, workspace, control] = [join(disk, "home"), join(disk, "workspace"), join(disk, "control")];
  const acknowledged: number[] = [];
  let id = "";
  let written = 0;
  {
    using _ = mountImage(image, disk);
    mkdirSync(workspace);
    await using writer = new Child("record-calls.ts", [home, workspace, "2", "400", control], {
      env: place.env,
    });
    await writer.said(2);
    // The very first acknowledged calls of a new store, or some time later.
    await sleep(isEarly ? 0 : random.between(50, 1500));
    await writer.stop();
    copyImage(image, copy);
    await sleep(20);
    id = writer.lines[0] as string;
    acknowledged.push(...writer.lines.slice(1).map(Number));
    written = readFileSync(control, "utf8").split("\n").length - 1;
  }
  // At the same place as before: records name their workspace.
  using _ = mountImage(copy, disk);
  const kept = existsSync(control) ? readFileSync(control, "utf8").split("\n").length - 1 : 0;
  const lost = await countLost(place, [home, workspace], id, acknowledged);
  rmSync(image);
  return { acknowledged: acknowledged.length, lost, written, taken: written - kept };
}

async function countLost(
  place: Place,
  [home, workspace]: readonly [string, string],
  id: string,
  acknowledged: readonly number[],
): Promise<number> {
  await using driver = new Driver({ env: place.env });
  await driver.get("open", home, workspace);
  const numbers = await driver.get("numbers", id);
  expect((await driver.get("verify")).problems).toEqual([]);
  const inFile = readNumbers(join(workspace, ".rollcall", "sessions", `${id}.json`));
  await driver.get("close");
  expect(inFile).toEqual(numbers);
  return acknowledged.filter((n) => !numbers.includes(n)).length;
}

function readNumbers(path: string): number[] {
  const { messages, toolCalls } = JSON.parse(readFileSync(path, "utf8"));
  const said = messages.map(({ content }: { content: string }) => Number(content));
  const called = toolCalls.map(({ params }: { params: { n: number } }) => params.n);
  return [...said, ...called].sort((a, b) => a - b);
}
