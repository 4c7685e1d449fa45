import { expect, test } from "vitest";
import { ChangedPaths } from "./changed-paths.ts";

test("many changes of a file are one look, or two where the first has begun", async () => {
  const paths = new ChangedPaths();
  const looks: string[] = [];
  const look = (path: string) => async () => void looks.push(path);
  for (let n = 0; n < 1000; n++) for (const path of ["a", "b"]) paths.add(path, look(path));
  await paths.settled();
  expect(looks.sort()).toEqual(["a", "a", "b"]);
});

test("a look that takes long is followed by a rest that is longer, in which nobody waits for it", async () => {
  const paths = new ChangedPaths();
  const began: number[] = [];
  const ended: number[] = [];
  const look = async () => {
    began.push(performance.now());
    while (performance.now() < (began.at(-1) as number) + 20);
    ended.push(performance.now());
  };
  for (const path of ["a", "b", "c"]) paths.add(path, look);
  await paths.settled();
  const rests = ended.slice(0, -1).map((end, index) => (began[index + 1] as number) - end);
  expect(Math.min(...rests)).toBeGreaterThan(70);
});

test("after a stop nothing more is looked at", async () => {
  const paths = new ChangedPaths();
  const looks: string[] = [];
  paths.add("a", async () => {
    looks.push("a");
    paths.stop();
  });
  paths.add("b", async () => void looks.push("b"));
  await paths.settled();
  paths.add("c", async () => void looks.push("c"));
  await paths.settled();
  expect(looks).toEqual(["a"]);
});
