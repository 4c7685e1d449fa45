import { expect, test } from "vitest";
import { factsOf, holderOf, KeptConnection, keptIntake } from "../../testing/session/ports.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { Delivery } from "./delivery.ts";

const IMPLIES = { memory: { prompts: 1 } };

function place({ isGone = false } = {}) {
  const connection = new KeptConnection();
  const { intake, taken } = keptIntake();
  const delivery = new Delivery({
    ...factsOf(),
    ...holderOf({ ...(isGone ? {} : { connection }), status: { lastInputMsAgo: 0 } }),
    intake,
    now: () => Date.now(),
    screen: { now: async () => screenShowing("a dialog"), changed: () => {} },
  });
  return { delivery, sent: connection.sent.all, taken: taken.all };
}

test("each deed goes the way that it names", async () => {
  const at = place();
  await at.delivery.deliver({ via: "lines", lines: ["a"] });
  await at.delivery.deliver({ via: "keys", bytes: "y" });
  expect(at.sent).toEqual(["I a\n", "I y"]);
  const call = { via: "http", method: "POST", path: "/", body: {} } as const;
  await expect(at.delivery.deliver(call)).rejects.toMatchObject({ code: "wrong_state" });
});

test("keys wait for a rest after the last one, and lines wait for nothing", async () => {
  const { delivery } = place();
  expect(await delivery.untilReadyMs({ via: "lines", lines: ["a"] }, null)).toBe(0);
  expect(await delivery.untilReadyMs({ via: "keys", bytes: "y" }, null)).toBeGreaterThan(0);
});

test("lines that imply something are taken in once they are written, and no others", async () => {
  const at = place();
  await at.delivery.deliver({ via: "lines", lines: ["a"] });
  expect(at.taken).toEqual([]);
  await at.delivery.deliver({ via: "lines", lines: ["b"], implies: IMPLIES });
  expect(at.taken).toEqual([{ parsed: IMPLIES, place: null }]);
});

test("lines that were not delivered imply nothing", async () => {
  const at = place({ isGone: true });
  await expect(at.delivery.deliver({ via: "lines", lines: ["b"], implies: IMPLIES })).rejects.toThrow();
  expect(at.taken).toEqual([]);
});
