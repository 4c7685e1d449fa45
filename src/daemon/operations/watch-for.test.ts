import { expect, test } from "vitest";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { useFakeTime } from "../../testing/session/fake-time.ts";
import type { Daemon } from "../daemon.ts";
import { Watch } from "./watch-for.ts";

useFakeTime();

type Kind = FeedEvent["body"]["kind"];

/** A watch from seq 5 on, and the hub's way to tell it of an event. */
function watchFrom5(isInVain?: (event: FeedEvent) => boolean) {
  const listeners = new Set<(event: FeedEvent) => void>();
  const listen = (listener: (event: FeedEvent) => void) => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  };
  const row = { id: "s", seq: 5 } as SessionRow;
  const watch = new Watch({ hub: { listen } } as unknown as Daemon, row, isAtPrompt, isInVain);
  const tell = (seq: number, kind: Kind) => {
    const event = { sessionId: "s", seq, body: { kind } } as unknown as FeedEvent;
    for (const listener of listeners) listener(event);
  };
  return { watch, tell, listeners };
}

function isAtPrompt({ body }: FeedEvent): boolean {
  return body.kind === "at_prompt";
}

test("a watch counts only events behind the row that it began with", async () => {
  const { watch, tell } = watchFrom5();
  tell(4, "at_prompt");
  tell(5, "at_prompt");
  tell(6, "ended");
  expect(await watch.within(1000)).toBe(false);
});

test("a watch is over with the first event behind its row that it looks for", async () => {
  const { watch, tell } = watchFrom5();
  tell(6, "at_work");
  tell(7, "at_prompt");
  tell(8, "ended");
  expect(await watch.within(1000)).toBe(true);
});

test("a watch gives up at an event that makes it vain", async () => {
  const { watch, tell } = watchFrom5(({ body }) => body.kind === "at_work");
  tell(6, "at_work");
  tell(7, "at_prompt");
  expect(await watch.within(1000)).toBe(false);
});

test("a watch that is let go listens no more", () => {
  const { watch, listeners } = watchFrom5();
  watch[Symbol.dispose]();
  expect(listeners.size).toBe(0);
});
