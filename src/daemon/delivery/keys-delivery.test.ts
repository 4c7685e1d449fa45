import { expect, test } from "vitest";
import type { Keys } from "../../agents/deed.ts";
import type { Waiting } from "../../domain/session/session.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";
import { codeOf } from "../../store/contract/place.ts";
import { pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { holderOf, KeptConnection } from "../../testing/session/ports.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { KeysDelivery } from "./keys-delivery.ts";

const YES: Keys = { via: "keys", bytes: "y" };

useFakeTime();

interface Given {
  readonly lastInputMsAgo?: number | null;
  readonly shown?: string;
  readonly isGone?: boolean;
}

/** A terminal that nobody typed at, and that shows nothing, but for what is given. */
function deliveryOf({ lastInputMsAgo = null, shown = "", isGone = false }: Given = {}) {
  const connection = new KeptConnection();
  const terminal = { shown };
  const delivery = new KeysDelivery({
    id: "s",
    now: () => Date.now(),
    ...holderOf({ ...(isGone ? {} : { connection }), status: { lastInputMsAgo } }),
    screen: { now: () => screenShowing(terminal.shown), changed: () => {} },
  });
  return { delivery, terminal, sent: connection.sent };
}

/** A dialog that came up so long ago. */
function request(ageMs: number): Waiting {
  return { ...AT_PROMPT, for: "permission", since: new Date(Date.now() - ageMs).toISOString() };
}

test.each([
  [0, 1200],
  [1199, 50],
  [1200, 0],
])(
  "a key may be pressed 1.2 s after the last one: after %i ms wait %i ms",
  async (lastInputMsAgo, waitMs) => {
    const { delivery } = deliveryOf({ lastInputMsAgo });
    expect(await delivery.untilReadyMs(YES, null)).toBe(waitMs);
  },
);

test.each([
  [-1000, 500],
  [0, 500],
  [499, 50],
  [500, 0],
])(
  "a key may be pressed 500 ms after the dialog was drawn: after %i ms wait %i ms",
  async (ageMs, waitMs) => {
    const { delivery } = deliveryOf();
    expect(await delivery.untilReadyMs(YES, request(ageMs))).toBe(waitMs);
  },
);

test("a key waits for the later of the last key and the dialog", async () => {
  const { delivery } = deliveryOf({ lastInputMsAgo: 1000 });
  expect(await delivery.untilReadyMs(YES, request(100))).toBe(400);
  expect(await delivery.untilReadyMs(YES, request(450))).toBe(200);
});

test("a key whose page is not on the screen is looked at again in 50 ms", async () => {
  const { delivery, terminal } = deliveryOf({ shown: "Loading" });
  const key = { ...YES, onScreen: "^Allow .* yes$" };
  expect(await delivery.untilReadyMs(key, request(500))).toBe(50);
  terminal.shown = "A tool\nAllow Bash? [y] yes\nmore";
  expect(await delivery.untilReadyMs(key, request(500))).toBe(0);
});

test("keys without a page of their own are pressed one after the other, 50 ms apart", async () => {
  const { delivery, sent } = deliveryOf();
  const delivered = delivery.deliver({ ...YES, more: ["\r", "z"] });
  expect(sent.all).toEqual(["I y"]);
  await pass(49);
  expect(sent.all).toHaveLength(1);
  await pass(1);
  expect(sent.all).toHaveLength(2);
  await pass(50);
  await delivered;
  expect(sent.all).toEqual(["I y", "I \r", "I z"]);
});

test("a key with a rest of its own is pressed so long after the screen shows what it is for", async () => {
  const { delivery, sent } = deliveryOf({ shown: "Sure?" });
  const delivered = delivery.deliver({ ...YES, more: [{ bytes: "\r", onScreen: "Sure\\?", restMs: 300 }] });
  await pass(299);
  expect(sent.all).toEqual(["I y"]);
  await pass(1);
  await delivered;
  expect(sent.all).toEqual(["I y", "I \r"]);
});

test("a key that moves the cursor is pressed each second until it has, and the next key waits for that", async () => {
  const { delivery, terminal, sent } = deliveryOf({ shown: "> a" });
  const delivered = delivery.deliver({ ...YES, bytes: " ", movesCursor: true, more: ["\r"] });
  await pass(1900);
  expect(sent.all).toEqual(["I  ", "I  "]);
  terminal.shown = "> a ";
  await pass(150);
  await delivered;
  expect(sent.all).toEqual(["I  ", "I  ", "I \r"]);
});

test("a cursor that does not move holds a key up for 5 s", async () => {
  const { delivery, sent } = deliveryOf({ shown: "> a" });
  const delivered = delivery.deliver({ ...YES, bytes: " ", movesCursor: true, more: ["\r"] });
  await pass(4900);
  expect(sent.all).not.toContain("I \r");
  await pass(300);
  await delivered;
  expect(sent.all).toEqual([...Array(5).fill("I  "), "I \r"]);
});

test("the next key waits until the screen shows what it is for", async () => {
  const { delivery, terminal, sent } = deliveryOf({ shown: "Choose" });
  const delivered = delivery.deliver({ ...YES, more: [{ bytes: "2", onScreen: "Sure\\?" }] });
  await pass(5000);
  expect(sent.all).toEqual(["I y"]);
  terminal.shown = "Sure?";
  await pass(100);
  await delivered;
  expect(sent.all).toEqual(["I y", "I 2"]);
});

test("keys stop in the middle where the next page does not come within 10 s", async () => {
  const { delivery, sent } = deliveryOf({ shown: "Choose" });
  const code = codeOf(delivery.deliver({ ...YES, more: [{ bytes: "2", onScreen: "Sure\\?" }, "\r"] }));
  let isOver = false;
  void code.then(() => (isOver = true));
  await pass(10_000);
  expect(isOver).toBe(false);
  await pass(100);
  expect(await code).toBe("not_delivered");
  expect(sent.all).toEqual(["I y"]);
});

test("keys for a session without a holder are refused", async () => {
  expect(await codeOf(deliveryOf({ isGone: true }).delivery.deliver(YES))).toBe("wrong_state");
});
