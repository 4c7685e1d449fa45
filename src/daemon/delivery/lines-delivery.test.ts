import { expect, test } from "vitest";
import { codeOf } from "../../store/contract/place.ts";
import { holderOf, KeptConnection } from "../../testing/session/ports.ts";
import { LinesDelivery } from "./lines-delivery.ts";

const LINES = { via: "lines", lines: ['{"a":1}', '{"b":2}'] } as const;

test("lines of a protocol are written at once, in one piece, each with its end", async () => {
  const connection = new KeptConnection();
  const delivery = new LinesDelivery({ id: "s", ...holderOf({ connection }) });
  expect(await delivery.untilReadyMs()).toBe(0);
  await delivery.deliver(LINES);
  expect(connection.sent.all).toEqual(['I {"a":1}\n{"b":2}\n']);
});

test("the last lines close the input behind them", async () => {
  const connection = new KeptConnection();
  const delivery = new LinesDelivery({ id: "s", ...holderOf({ connection }) });
  await delivery.deliver({ via: "lines", lines: ["a", "b"], closes: true });
  expect(connection.sent.all).toEqual(["I a\nb\n", "C"]);
});

test("lines for a session without a holder are refused", async () => {
  const delivery = new LinesDelivery({ id: "s", ...holderOf({}) });
  expect(await codeOf(delivery.deliver(LINES))).toBe("wrong_state");
});
