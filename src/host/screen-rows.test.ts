import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Screen } from "./screen.ts";

/** Colours and the like; the only sequences that a row may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it takes out.
const SGR = /\u001b\[[0-9;:]*m/g;

const PIECES = [
  ...[
    "\u001b]52;c;aGVsbG8=\u0007",
    "\u001b]0;title\u0007",
    "\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007",
  ],
  ...[
    "\u001b[c",
    "\u001b[>q",
    "\u001b[6n",
    "\u001b[?1000h",
    "\u001b[?2004h",
    "\u001bP+q544e\u001b\\",
    "\u001b[21t",
  ],
  ...["\u0085", "\u009b31m", "\u009d52;c;x\u009c", "\u007f", "\u0007", "\u202e", "\u2066", "\u061c"],
  ...[
    "plain ",
    "日本",
    "é",
    "e\u0301",
    "😀",
    "\r\n",
    "\u001b[7m",
    "\u001b[38;2;1;2;3m",
    "\u001b[4:3m",
    "\u001b[2J",
  ],
];

describe("the rows of a screen", () => {
  test("have text and colours alone, whatever the program did to its terminal", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), async (pieces) => {
        using screen = new Screen({ cols: 12, rows: 3, scrollback: 0 });
        await screen.write(Buffer.from(pieces.join("")));
        for (const row of screen.rows(12))
          expect(row.replace(SGR, "")).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
      }),
    );
  });

  test("are no wider than the terminal that shows them", async () => {
    using screen = new Screen({ cols: 12, rows: 2, scrollback: 0 });
    await screen.write(Buffer.from("日本語日本語\r\n\u001b[31mabcdefghijkl"));
    expect(screen.rows(5).map((row) => row.replace(SGR, ""))).toEqual(["日本 ", "abcde"]);
  });

  test("keep their colours and end plain", async () => {
    using screen = new Screen({ cols: 12, rows: 1, scrollback: 0 });
    await screen.write(Buffer.from("a\u001b[31mred"));
    expect(screen.rows(12)).toEqual(["a\u001b[0;31mred\u001b[0m"]);
  });
});
