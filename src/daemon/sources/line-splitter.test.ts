import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../domain/redact/redact.ts";
import { OutputEntries, type Piece, PipeLines } from "./line-splitter.ts";

const SECRET = "hunter2-is-no-password";

/** Lines and parts of lines, with characters of all lengths and bytes that are no text. */
const outputs = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "\n", "\r\n", "é€😀", '{"a":1}\n', SECRET).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

function inChunks(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return [...Array(count).keys()].map((index) => bytes.subarray(index * size, (index + 1) * size));
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

describe("the lines of a pipe", () => {
  test("say where a piece is part of a longer line", () => {
    const lines = new PipeLines(0, 4);
    const pieces = ["ab\n", "cdefg", "hijkl", "m\n", "n\n"].flatMap((text) => lines.push(Buffer.from(text)));
    expect(pieces.map(({ text, part }) => [text, part])).toEqual([
      ["ab\n", undefined],
      ["cdefg", "first"],
      ["hijkl", "more"],
      ["m\n", "more"],
      ["n\n", undefined],
    ]);
  });

  test("come in blocks where nobody asks for single ones: as many as came at once", () => {
    const lines = new PipeLines(0, 4, "block");
    const pieces = ["y\ny\ny", "\ny\n", "no end", "\n"].flatMap((text) => lines.push(Buffer.from(text)));
    expect(pieces.map(({ text, offset }) => [text, offset])).toEqual([
      ["y\ny\n", 4],
      ["y\ny\n", 8],
      ["no end", 14],
      ["\n", 15],
    ]);
  });

  test("in blocks are all there, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(outputs, fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        const lines = new PipeLines(0, 64, "block");
        const pieces = [...inChunks(bytes, size).flatMap((chunk) => lines.push(chunk)), ...lines.end()];
        expect(textOf(pieces)).toBe(bytes.toString());
        expect(pieces.at(-1)?.offset ?? 0).toBe(bytes.length);
      }),
    );
  });

  test("are the same however the bytes are cut, and each ends where its bytes do", () => {
    fc.assert(
      fc.property(outputs, fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        const lines = new PipeLines(1000);
        const pieces = [...inChunks(bytes, size).flatMap((chunk) => lines.push(chunk)), ...lines.end()];
        expect(textOf(pieces)).toBe(bytes.toString());
        for (const { text, offset } of pieces.slice(0, -1)) {
          expect(text.endsWith("\n")).toBe(true);
          expect(bytes[offset - 1001]).toBe(0x0a);
        }
        expect([lines.offset, lines.received]).toEqual([1000 + bytes.length, 1000 + bytes.length]);
      }),
    );
  });

  test("are read on exactly where a daemon left off, whatever the bytes are", () => {
    fc.assert(
      fc.property(outputs, fc.nat(), (bytes, place) => {
        const first = new PipeLines(0);
        const before = first.push(bytes.subarray(0, place % (bytes.length + 1)));
        const second = new PipeLines(first.offset);
        const after = [...second.push(bytes.subarray(first.offset)), ...second.end()];
        expect(textOf([...before, ...after])).toBe(bytes.toString());
      }),
    );
  });

  test("do not change when the room of a chunk is used again", () => {
    const lines = new PipeLines(0);
    const room = Buffer.from("half");
    lines.push(room);
    room.fill("x");
    expect(lines.push(Buffer.from(" a line\n"))).toEqual([{ text: "half a line\n", offset: 12 }]);
  });

  test("of any length come in pieces that cut no character and leave nothing waiting", () => {
    fc.assert(
      fc.property(outputs, fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        const lines = new PipeLines(0, 5);
        const pieces: Piece[] = [];
        for (const chunk of inChunks(bytes, size)) {
          pieces.push(...lines.push(chunk));
          expect(lines.received - lines.offset).toBeLessThanOrEqual(5 + 3);
        }
        expect(textOf([...pieces, ...lines.end()])).toBe(bytes.toString());
      }),
    );
  });

  test("know where the next byte belongs while one is not whole", () => {
    const lines = new PipeLines(5);
    lines.push(Buffer.from("one\ntw"));
    expect([lines.offset, lines.received]).toEqual([9, 11]);
  });
});

describe("the entries of plain output", () => {
  const piecesOf = (text: string) => new PipeLines(0).push(Buffer.from(text));

  test("say what was said, without what a terminal would do with it", () => {
    const entries = new OutputEntries("out", createRedactor([]));
    expect(entries.entriesOf(piecesOf("\x1b[31mred\x1b[0m\r\nplain\n"), true).entries).toEqual([
      { role: "assistant", kind: "text", text: "red\nplain\n", tool: null },
    ]);
    expect(entries.entriesOf([], true).entries).toEqual([]);
  });

  test("say which of them went to the standard error", () => {
    const entries = new OutputEntries("err", createRedactor([]));
    expect(entries.entriesOf(piecesOf("oh\n"), true).entries).toMatchObject([{ name: "stderr" }]);
  });

  test("are notices beside what an agent says by a protocol", () => {
    const entries = new OutputEntries("err", createRedactor([]), false);
    expect(entries.entriesOf(piecesOf("oh\n"), true).entries).toEqual([
      { role: "system", kind: "notice", name: "stderr", text: "oh\n", tool: null },
    ]);
  });

  test("hide a secret that spans lines which came one by one", () => {
    const key = [
      "-----BEGIN PRIVATE KEY-----",
      "MIIEvQIBADANBgkqhkiG9w0BAQEF".repeat(2),
      "-----END PRIVATE KEY-----",
    ];
    const entries = new OutputEntries("out", createRedactor([]));
    const said = [...key, "done"].map((line, index) => entries.entriesOf(piecesOf(`${line}\n`), index === 3));
    const text = said.flatMap((each) => each.entries.map((entry) => entry.text)).join("");
    expect(text).not.toContain("MIIEv");
    expect(text).toMatch(/\[REDACTED:[a-z-]+\]\ndone\n$/);
    expect(said.map(({ heldBytes }) => heldBytes > 0)).toEqual([true, true, false, false]);
  });

  test("hold nothing back of a line that is whole", () => {
    const entries = new OutputEntries("out", createRedactor([SECRET]));
    const { entries: said, heldBytes } = entries.entriesOf(piecesOf(`key ${SECRET}\n`), false);
    expect([said[0]?.text, heldBytes]).toEqual(["key [REDACTED:value]\n", 0]);
  });
});
