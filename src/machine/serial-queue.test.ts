import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("work begins only when the work before it is done, in the order of asking", async () => {
  const queue = new SerialQueue();
  const first = Promise.withResolvers<void>();
  const steps: string[] = [];
  const one = queue.run(async () => {
    steps.push("one begins");
    await first.promise;
    steps.push("one ends");
  });
  const two = queue.run(async () => void steps.push("two"));
  await Promise.resolve();
  expect(steps).toEqual(["one begins"]);
  first.resolve();
  await Promise.all([one, two]);
  expect(steps).toEqual(["one begins", "one ends", "two"]);
});

test("a failure of queued work reaches its caller alone", async () => {
  const queue = new SerialQueue();
  const failing = queue.run(async () => {
    throw new Error("the disk is full");
  });
  const next = queue.run(async () => "done");
  await expect(failing).rejects.toThrow("the disk is full");
  expect(await next).toBe("done");
});

test("a serial queue is settled when all work asked for so far has run, failures included", async () => {
  const queue = new SerialQueue();
  const done: number[] = [];
  void queue.run(async () => void done.push(1));
  queue.run(() => Promise.reject(new Error("no"))).catch(() => done.push(2));
  void queue.run(async () => void done.push(3));
  await queue.settled();
  expect(done).toEqual([1, 2, 3]);
});
