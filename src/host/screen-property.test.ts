import type { IBufferCell } from "@xterm/headless";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { makeEmulator, type Pen } from "./emulator.ts";
import { Screen } from "./screen.ts";

const SIZE = { cols: 12, rows: 5, scrollback: 8 };

const oneOf = <T>(...list: readonly T[]) => fc.constantFrom(...list);
const small = fc.integer({ min: 0, max: 14 });
const csi = (final: string) => fc.tuple(small, small).map(([a, b]) => `\x1b[${a};${b}${final}`);

const TEXT = oneOf(
  "a",
  "hello",
  "世界",
  "漢",
  "🙂",
  "🚀x",
  "e\u0301",
  "\u0301",
  "…",
  " ",
  "x".repeat(13),
  "─│",
  "~q~",
);
const CONTROLS = oneOf(
  "\r\n",
  "\n",
  "\r",
  "\t",
  "\b",
  "\x0e",
  "\x0f",
  "\x7f",
  "\x07",
  "\x1bM",
  "\x1bD",
  "\x1bE",
);
const MOVES = oneOf("A", "B", "C", "D", "E", "F", "G", "H", "d", "`").chain(csi);
const ERASES = oneOf("J", "K", "X", "P", "@", "L", "M", "S", "T", "b").chain((final) =>
  fc.integer({ min: 0, max: 3 }).map((n) => `\x1b[${n}${final}`),
);
const REGIONS = fc.oneof(csi("r"), fc.constant("\x1b[r"));
const CURSORS = oneOf("\x1b7", "\x1b8", "\x1b[s", "\x1b[u", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b[!p", "\x1bc");
const SGR = oneOf(
  "0",
  "1",
  "2;3",
  "4",
  "4:3",
  "4:3;58;5;9",
  "7",
  "8;9",
  "53",
  "31",
  "94",
  "38;5;200",
  "38;2;1;2;3",
  "41",
  "104",
  "48;2;9;8;7",
  "48:5:33",
  "39;49",
  "22;27",
).map((codes) => `\x1b[${codes}m`);
const MODES = fc
  .tuple(
    oneOf(
      1,
      6,
      9,
      12,
      25,
      45,
      47,
      1000,
      1002,
      1003,
      1004,
      1005,
      1006,
      1015,
      1016,
      1047,
      1049,
      2004,
      2026,
      2031,
    ),
    oneOf("h", "l"),
  )
  .map(([mode, how]) => `\x1b[?${mode}${how}`);
const KEYBOARD = oneOf(
  "\x1b=",
  "\x1b>",
  "\x1b[4h",
  "\x1b[4l",
  "\x1b[20h",
  "\x1b[20l",
  "\x1b[>1u",
  "\x1b[>5u",
  "\x1b[<u",
  "\x1b[<2u",
  "\x1b[=3;1u",
  "\x1b[=4;2u",
  "\x1b[=1;3u",
  "\x1b[>4;2m",
  "\x1b[>4m",
  "\x1b[5 q",
  "\x1b[2 q",
  "\x1b[0 q",
);
const STRINGS = oneOf(
  "\x1b]2;tïtle\x07",
  "\x1b]0;other\x1b\\",
  "\x1b]8;;http://a\x07",
  "\x1b]8;;\x07",
  "\x1bP$qm\x1b\\",
  "\x1b_apc\x1b\\",
  "\x1b]11;?\x07",
);
const QUERIES = oneOf("\x1b[c", "\x1b[6n", "\x1b[?u", "\x1b[?2004$p", "\x1b[18t");

const piece: Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: TEXT },
  { weight: 3, arbitrary: CONTROLS },
  { weight: 3, arbitrary: MOVES },
  { weight: 3, arbitrary: ERASES },
  { weight: 1, arbitrary: REGIONS },
  { weight: 2, arbitrary: CURSORS },
  { weight: 3, arbitrary: SGR },
  { weight: 2, arbitrary: MODES },
  { weight: 1, arbitrary: KEYBOARD },
  { weight: 1, arbitrary: STRINGS },
  { weight: 1, arbitrary: QUERIES },
);
const streams = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join("")));
const cuts = fc.double({ min: 0, max: 1, noNaN: true });
const RUNS = { numRuns: Number(process.env.ROLLCALL_RUNS ?? 400) };

describe("a screen", () => {
  test("is the same however its bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(streams, fc.array(cuts, { maxLength: 6 }), async (bytes, at) => {
        const marks = [
          0,
          ...at.map((each) => Math.floor(each * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const parts = marks.slice(1).map((mark, i) => bytes.subarray(marks[i], mark));
        expect(await look(...parts)).toEqual(await look(bytes));
      }),
      RUNS,
    );
  });

  test("is made again by its snapshot", async () => {
    await fc.assert(
      fc.asyncProperty(streams, async (bytes) => {
        const [snapshot, seen] = [await snapshotOf(bytes), await look(bytes)];
        expect(await look(snapshot)).toEqual(seen);
        expect(cells(snapshot)).toEqual(cells(bytes));
      }),
      RUNS,
    );
  });

  test.each([
    ["has another colour", "\x1b[12;0`漢\x1b[104m\x1b[0L"],
    ["was erased", "\x1b[4:3m\x1b[12;0`a\x1b[1J🙂"],
  ])("is made again where the cell before a wide character of the next line %s", async (_, text) => {
    const bytes = Buffer.from(text);
    expect(cells(await snapshotOf(bytes))).toEqual(cells(bytes));
  });

  test("goes on from its snapshot as if nothing had happened, wherever that was made", async () => {
    await fc.assert(
      fc.asyncProperty(streams, cuts, async (bytes, at) => {
        const cut = Math.floor(at * bytes.length);
        const snapshot = await snapshotOf(bytes.subarray(0, cut));
        expect(await look(snapshot, bytes.subarray(cut))).toEqual(await look(bytes));
      }),
      RUNS,
    );
  });

  test("survives any bytes and sizes", async () => {
    const steps = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      piece.map((text) => Buffer.from(text)),
      fc.record({ cols: fc.integer({ min: 2, max: 30 }), rows: fc.integer({ min: 1, max: 9 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (all) => {
        using screen = new Screen(SIZE);
        for (const step of all) {
          if ("cols" in step) screen.resize(step);
          else await screen.write(step);
        }
        expect(screen.snapshot().length).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });
});

async function write(parts: readonly Uint8Array[]): Promise<Screen> {
  const screen = new Screen(SIZE);
  for (const part of parts) await screen.write(part);
  return screen;
}

async function look(...parts: readonly Uint8Array[]) {
  using screen = await write(parts);
  const { cursor, title, modes, isAlternate } = screen;
  return { text: screen.text(), history: screen.textWithHistory(100), cursor, title, modes, isAlternate };
}

/** Characters and visible attributes of every cell of the screen. */
function cells(bytes: Uint8Array): unknown {
  const { terminal, inside } = makeEmulator(SIZE, SIZE.scrollback);
  inside._inputHandler.parse(Buffer.from(bytes).toString());
  const { active } = terminal.buffer;
  const all = Array.from({ length: SIZE.rows * SIZE.cols }, (_, at) =>
    attributesOf(active.getLine(active.baseY + Math.floor(at / SIZE.cols))?.getCell(at % SIZE.cols)),
  );
  terminal.dispose();
  return all;
}

function attributesOf(cell: IBufferCell | undefined): unknown {
  if (cell === undefined) return undefined;
  const chars = cell.getChars() || " ";
  const lines = [
    (cell as unknown as Pen).getUnderlineStyle(),
    cell.isInverse(),
    cell.isStrikethrough(),
    cell.isOverline(),
  ];
  const ground = [cell.getBgColorMode(), cell.getBgColor()];
  const isSeen = chars !== " " || lines.some(Boolean);
  const face = [
    cell.getFgColorMode(),
    cell.getFgColor(),
    cell.isBold(),
    cell.isDim(),
    cell.isItalic(),
    cell.isInvisible(),
  ];
  return [chars, ...ground, ...lines, ...(isSeen ? face : [])];
}

async function snapshotOf(bytes: Uint8Array): Promise<Uint8Array> {
  using screen = await write([bytes]);
  return screen.snapshot();
}
