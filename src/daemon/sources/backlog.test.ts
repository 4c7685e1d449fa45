import { expect, test } from "vitest";
import { Backlog } from "./backlog.ts";

/** Keeps until it meets what cannot be kept; that is so once. */
function keeper(bad: number) {
  const kept: number[] = [];
  let hasFailed = false;
  return {
    kept,
    keep: async (item: number) => {
      await Promise.resolve();
      if (item === bad && !hasFailed) {
        hasFailed = true;
        throw new Error("full");
      }
      kept.push(item);
    },
  };
}

test("what could not be kept comes first the next time, and nothing is lost or doubled", async () => {
  const backlog = new Backlog<number>();
  const { kept, keep } = keeper(2);
  backlog.add([1, 2, 3]);
  await expect(backlog.keep(keep)).rejects.toThrow("full");
  backlog.add([4]);
  await backlog.keep(keep);
  await backlog.keep(keep);
  expect(kept).toEqual([1, 2, 3, 4]);
});

test("what is added while others are kept is kept in its turn, once, however many ask for it", async () => {
  const backlog = new Backlog<number>();
  const { kept, keep } = keeper(0);
  backlog.add([1, 2]);
  const first = backlog.keep(keep);
  backlog.add([3]);
  await Promise.all([first, backlog.keep(keep), backlog.keep(keep)]);
  expect(kept).toEqual([1, 2, 3]);
});
