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
        const read: number[][] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length] as number;
          for (const { payload } of reader.push(bytes.subarray(at, at + length))) read.push([...payload]);
          at += length;
        }
        expect(read).toEqual(all.map((payload) => [...payload]));
      }),
    );
  });

  test("of many sizes, one after the other, stand in room that is used again", () => {
    const reader = new FrameReader();
    const rooms = new Set<unknown>();
    for (let n = 0; n < 100; n++)
      for (const size of [65_536, 10, 65_544, 1]) {
        const [frame] = reader.push(encodeFrame("O", Buffer.alloc(size, n)));
        expect(frame?.payload.equals(Buffer.alloc(size, n))).toBe(true);
        rooms.add(frame?.payload.buffer);
      }
    expect(rooms.size).toBe(1);
  });

  test("that are large leave no large room behind", () => {
    const reader = new FrameReader();
    const roomFor = (size: number) =>
      [...reader.push(encodeFrame("J", Buffer.alloc(size)))][0]?.payload.buffer;
    expect(roomFor(3_000_000)?.byteLength).toBeGreaterThan(3_000_000);
    expect(roomFor(10)?.byteLength).toBeLessThan(10_000);
  });

  test("of impossible length are refused", () => {
    const frames = new FrameReader().push(Buffer.from([0x4f, 0xff, 0xff, 0xff, 0xff]));
    expect(() => [...frames]).toThrow(/never sends/);
  });
});
