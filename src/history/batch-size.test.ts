import { expect, test } from "vitest";
import { BatchSize } from "./batch-size.ts";

const KB = 1024;

test("a batch of an import is full after so much text, and empty once it is written", () => {
  const size = new BatchSize();
  size.add({ bytes: 248 * KB });
  expect(size.isFull).toBe(false);
  size.add({ bytes: 8 * KB });
  expect(size.isFull).toBe(true);
  size.written(20);
  expect(size.isFull).toBe(false);
});

test("events of little text fill a batch of an import too", () => {
  const size = new BatchSize();
  size.add({ events: 256 });
  expect(size.isFull).toBe(true);
});

test("batches of an import shrink to a least size while writes take long", () => {
  const size = new BatchSize();
  expect(sizes(size, 60, 3)).toEqual([256, 128, 128]);
});

test("batches of an import grow to a most size while writes are fast", () => {
  const size = new BatchSize();
  expect(sizes(size, 1, 12).at(-1)).toBe(1024);
});

test("a batch that was not full says nothing of how large a fast one may be", () => {
  const size = new BatchSize();
  size.add({ bytes: KB });
  size.written(0.1);
  expect(sizes(size, 20, 1)).toEqual([256]);
});

/** How many kilobytes fit into each of some batches in a row, when every write takes so long. */
function sizes(size: BatchSize, ms: number, count: number): number[] {
  return Array.from({ length: count }, () => {
    let added = 0;
    for (; !size.isFull; added += 1) size.add({ bytes: KB });
    size.written(ms);
    return added;
  });
}
