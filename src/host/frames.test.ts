import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame, FrameReader } from "./frames.ts";

describe("frames", () => {
  test("are one byte of type, four of length and the payload", () => {
    expect(encodeFrame("I", "ab")).toEqual(Buffer.from([0x49, 2, 0, 0, 0, 0x61, 0x62]));
  });

  test("are read back however their bytes are cut", () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    fc.assert(
      fc.property(payloads, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (all, cuts) => {
        const bytes = Buffer.concat(all.map((payload) => encodeFrame("O", payload)));
        const reader = new FrameReader();
        const read = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length] as number;
          read.push(...reader.push(bytes.subarray(at, at + length)));
          at += length;
        }
        expect(read.map(({ payload }) => [...payload])).toEqual(all.map((payload) => [...payload]));
      }),
    );
  });

  test("of impossible length are refused", () => {
    expect(() => new FrameReader().push(Buffer.from([0x4f, 0xff, 0xff, 0xff, 0xff]))).toThrow(/never sends/);
  });
});
