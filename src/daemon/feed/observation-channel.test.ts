import { expect, test } from "vitest";
import { T0, T1 } from "../../testing/events.ts";
import { sample } from "../../testing/samples.ts";
import { type LiveObservation, ObservationChannel } from "./observation-channel.ts";

test("a watcher gets what is observed while it watches", async () => {
  using watching = watch(new ObservationChannel());
  const { channel, read } = watching;
  const reading = read();
  channel.publish({ sessionId: "a", attached: true });
  expect(await reading).toEqual({ sessionId: "a", attached: true });
  channel.publish({ sessionId: "a", sample: sample(1) });
  expect(await read()).toEqual({ sessionId: "a", sample: sample(1) });
});

test("a slow watcher gets the newest of each session once, and never holds up who observes", async () => {
  using watching = watch(new ObservationChannel());
  const { channel, read } = watching;
  for (let n = 0; n < 10_000; n++) {
    channel.publish({ sessionId: n % 2 ? "a" : "b", sample: sample(n) });
    if (n === 0) channel.publish({ sessionId: "a", attached: true, lastOutputAt: T0 });
  }
  channel.publish({ sessionId: "a", lastOutputAt: T1 });
  const seen = [await read(), await read()];
  expect(seen).toEqual([
    { sessionId: "b", sample: sample(9998) },
    { sessionId: "a", attached: true, lastOutputAt: T1, sample: sample(9999) },
  ]);
  channel.publish({ sessionId: "c", attached: false });
  expect(await read()).toEqual({ sessionId: "c", attached: false });
});

test("a slow watcher takes nothing from a quick one", async () => {
  const channel = new ObservationChannel();
  using _slow = watch(channel);
  using quick = watch(channel);
  for (const n of [1, 2, 3]) {
    channel.publish({ sessionId: "a", sample: sample(n) });
    expect(await quick.read()).toEqual({ sessionId: "a", sample: sample(n) });
  }
});

test("a watcher of some sessions gets nothing of others", async () => {
  using watching = watch(new ObservationChannel(), ["b"]);
  const { channel, read } = watching;
  channel.publish({ sessionId: "a", attached: true });
  channel.publish({ sessionId: "b", attached: true });
  expect(await read()).toEqual({ sessionId: "b", attached: true });
});

test("watching ends with its signal, whether something waits or not", async () => {
  const channel = new ObservationChannel();
  const stop = new AbortController();
  const idle = Array.fromAsync(channel.watch({ signal: stop.signal }));
  const busy = channel.watch({ signal: stop.signal });
  stop.abort();
  channel.publish({ sessionId: "a", attached: true });
  expect([await idle, await Array.fromAsync(busy)]).toEqual([[], []]);
  expect(await Array.fromAsync(channel.watch({ signal: stop.signal }))).toEqual([]);
});

test("a reader that stops is forgotten", async () => {
  const channel = new ObservationChannel();
  const { signal } = new AbortController();
  const watched = channel.watch({ signal });
  channel.publish({ sessionId: "a", attached: true });
  for await (const { sessionId } of watched) if (sessionId === "a") break;
  expect(channel.size).toBe(0);
});

function watch(channel: ObservationChannel, sessionIds?: readonly string[]) {
  const stop = new AbortController();
  const { signal } = stop;
  const watched = channel.watch({ signal, ...(sessionIds ? { sessionIds } : {}) })[Symbol.asyncIterator]();
  const read = async (): Promise<LiveObservation | undefined> => (await watched.next()).value;
  return { channel, read, [Symbol.dispose]: () => stop.abort() };
}
