import { expect, test } from "vitest";
import { formatUsd, parseUsd } from "./money.ts";

test.each([
  ["5", 5_000_000_000],
  ["0.05", 50_000_000],
  ["$0.25", 250_000_000],
  ["0.000000001", 1],
  ["1000000", 1_000_000_000_000_000],
  ["007.50", 7_500_000_000],
])("%s is an amount of money", (text, nano) => {
  expect(parseUsd(text)).toBe(nano);
});

test.each([
  ...["", "0", "0.00", "-1", "+1", "NaN", "Infinity", "1e400", "1e3", "five", "0x10", "1,5", " 1", "1 "],
  ...["0.0000000001", "1000000.000000001", "99999999", ".5", "5.", "$", "1_000"],
])("%j is no amount of money that can be kept", (text) => {
  expect(parseUsd(text)).toBeUndefined();
});

test.each([
  [50_000_000, "$0.05"],
  [41_200_000, "$0.0412"],
  [12_000_000_000, "$12.00"],
  [1, "$0.000000001"],
  [1_500_000_000, "$1.50"],
])("%i billionths are shown as %s", (nano, text) => {
  expect(formatUsd(nano)).toBe(text);
});
