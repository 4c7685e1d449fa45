import { expect, test } from "vitest";
import { parseByteSize } from "./byte-size.ts";

test.each([
  ["500MB", 500_000_000],
  ["1.5 GB", 1_500_000_000],
  ["20GB", 20_000_000_000],
  ["1TB", 1_000_000_000_000],
  ["10kB", 10_000],
  ["10KB", 10_000],
  ["7B", 7],
])("the size %j has %d bytes", (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

test.each(["", "20", "GB", "-1GB", "1.GB", "1e3GB", "20 gb", "20GiB", "9999999999GB", "1  GB", " 1GB"])(
  "%j is not a size",
  (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  },
);
