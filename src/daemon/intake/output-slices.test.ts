import { expect, test } from "vitest";
import { OutputSlices } from "./output-slices.ts";

/** Works through so many pieces of output and notes each. */
async function flood(slices: OutputSlices, name: string, pieces: number, done: string[]): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await slices.admit();
    done.push(name);
    slices.spend(1);
  }
}

test("callers of the daemon get a turn while output is worked on", async () => {
  const slices = new OutputSlices();
  const done: string[] = [];
  const flooded = Promise.all(["a", "b"].map((name) => flood(slices, name, 100, done)));
  const turns: number[] = [];
  const call = () => {
    turns.push(done.length);
    if (done.length < 200) setImmediate(call);
  };
  setImmediate(call);
  await flooded;
  // Each slice lets in 5 ms of work.
  expect(turns.length).toBeGreaterThan(20);
});

test("a quiet session waits for one piece of each other, not for all of theirs", async () => {
  const slices = new OutputSlices();
  const done: string[] = [];
  const flooded = Promise.all(["a", "b", "c"].map((name) => flood(slices, name, 50, done)));
  await new Promise((resolve) => setImmediate(resolve));
  const before = done.length;
  await flood(slices, "quiet", 1, done);
  expect(done.indexOf("quiet") - before).toBeLessThanOrEqual(12);
  await flooded;
  expect(done).toHaveLength(151);
});
