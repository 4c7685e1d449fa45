import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeEmulator } from "./emulator.ts";
import { Screen } from "./screen.ts";

const SIZE = { cols: 20, rows: 4 };

describe("the text of a screen", () => {
  test.each([
    ["plain lines", "one\r\ntwo", "one\ntwo"],
    [
      "without blanks at the ends of lines and empty lines at the end",
      "one   \r\n\r\ntwo \r\n",
      "one\n\ntwo",
    ],
    ["wide characters in two cells", "世界!\x1b[1;5H?", "世界?"],
    ["an emoji in two cells", "🚀x\x1b[1;3Hy", "🚀y"],
    ["a flag in two cells", "🇩🇪x\x1b[1;3Hy", "🇩🇪y"],
    ["a combining mark in the cell before it", "e\u0301x\x1b[1;2Hy", "e\u0301y"],
    ["a long line on two rows", "x".repeat(22), `${"x".repeat(20)}\nxx`],
    ["the end of a line only, where it may not wrap", `\x1b[?7l${"x".repeat(22)}y`, `${"x".repeat(19)}y`],
    ["lines drawn by a charset", "\x1b(0lqk\x1b(Bq", "┌─┐q"],
    ["what a program that redraws left", "wait\rdone\x1b[K", "done"],
    ["the alternate screen while it shows", "normal\x1b[?1049h\x1b[Hother", "other"],
    ["the normal screen after it", "normal\x1b[?1049h\x1b[Hother\x1b[?1049l", "normal"],
    ["nothing of unknown sequences", "a\x1b_apc\x1b\\\x1b]7501;state=idle\x07\x1b[>9z\x1bPq#1\x1b\\b", "ab"],
    ["bytes that are no UTF-8 as such", Buffer.from([0x61, 0xff, 0x62]), "a\ufffdb"],
    ["nothing, erased to the last cell", "\x1b[4;20Hx\x1b[1J", ""],
  ])("shows %s", async (_, bytes, text) => {
    using screen = await show(bytes);
    expect(screen.text()).toBe(text);
  });

  const line = "x".repeat(20);
  test.each([
    ["scrolled up", "S", "  b"],
    ["scrolled down", "T", "  b"],
    ["pushed down by new lines", "L", "b"],
    ["deleted by lines", "M", "b"],
    ["left by tabs", "I", `ax${" ".repeat(17)}b`],
    ["left by tabs back", "Z", "bx"],
    ["repeated", "b", `${line}\n${line}\n${line}\nxb`],
  ])("is shown at once when it was %s by a huge count", (_, final, text) => {
    const bytes = final === "b" ? "x" : "ax";
    expect(showApart(`${bytes}\x1b[2147483647${final}b`)).toBe(text);
  });

  test("survives a cut inside any character", async () => {
    const bytes = Buffer.from("a…世🚀é");
    using screen = new Screen(SIZE);
    for (const byte of bytes) await screen.write(Buffer.from([byte]));
    expect(screen.text()).toBe("a…世🚀é");
  });

  test("can have lines that left the screen, as many as are kept", async () => {
    using screen = new Screen({ ...SIZE, scrollback: 3 });
    await screen.write(Buffer.from("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8"));
    expect(screen.text()).toBe("5\n6\n7\n8");
    expect(screen.textWithHistory(1)).toBe("4\n5\n6\n7\n8");
    expect(screen.textWithHistory(100)).toBe("2\n3\n4\n5\n6\n7\n8");
  });

  test("shows writes in their order, also when nobody waited", async () => {
    using screen = new Screen(SIZE);
    const large = screen.write(Buffer.from("x\r\n".repeat(100_000)));
    await Promise.all([large, screen.write(Buffer.from("last"))]);
    expect(screen.text()).toBe("x\nx\nx\nlast");
  });

  test("follows a new size", async () => {
    using screen = await show("one two\r\n");
    screen.resize({ cols: 4, rows: 6 });
    expect([screen.size, screen.text()]).toEqual([{ cols: 4, rows: 6 }, "one\ntwo"]);
  });
});

describe("a screen", () => {
  test("knows cursor, title and modes", async () => {
    using screen = await show(
      "\x1b]2;a title\x07\x1b[2;3H\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[>1u\x1b[>4;2m\x1b[5 q",
    );
    expect(screen.cursor).toEqual({ row: 1, column: 2 });
    expect([screen.title, screen.bracketedPaste]).toEqual(["a title", true]);
    const expected = {
      mouse: "any",
      others: [1006],
      kittyKeyboard: [0, 1],
      modifyOtherKeys: 2,
      cursorStyle: 5,
    };
    expect(screen.modes).toMatchObject(expected);
  });

  test("forgets its modes on a full reset", async () => {
    using fresh = new Screen(SIZE);
    using screen = await show(
      "\x1b[?25l\x1b[20h\x1b[?1006h\x1b[?2031h\x1b[>1u\x1b[>4;2m\x1b[5 q\x1b[?1049h\x1bc",
    );
    expect(screen.modes).toEqual(fresh.modes);
  });

  test("keeps the kitty flags of both buffers apart", async () => {
    using screen = await show("\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>7u");
    expect(screen.modes.kittyKeyboard).toEqual([0, 3, 7]);
    await screen.write(Buffer.from("\x1b[?1049l"));
    expect(screen.modes.kittyKeyboard).toEqual([0, 1]);
  });

  test("answers no query", () => {
    const { terminal, inside } = makeEmulator(SIZE, 0);
    const answers: string[] = [];
    terminal.onData((data) => answers.push(data));
    terminal.onBinary((data) => answers.push(data));
    inside._inputHandler.parse(
      "\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?6n\x1b[?2004$p\x1b[18t\x1b]11;?\x07\x1bP$qm\x1b\\",
    );
    expect(answers).toEqual([]);
    terminal.dispose();
  });
});

describe("a snapshot", () => {
  test.each([
    ["in the middle of attributes", "\x1b[3", "1mred", "\x1b[0;31m"],
    ["in the middle of a title", "\x1b]2;ti", "tle\x07x", "\x1b]2;title\x07"],
    ["in the middle of a character", Buffer.from([0xe4, 0xb8]), Buffer.from([0x96]), "世"],
    ["behind a full line", "x".repeat(20), "y", "y"],
    ["between a character and its mark", "e", "\u0301", "e\u0301"],
    ["with a control character inside a sequence", "a\x1b[\n3", "1mb", "b"],
  ])("made %s goes on with what comes next", async (_, before, after, expected) => {
    using first = await show(before);
    using second = await show(Buffer.concat([first.snapshot(), Buffer.from(after as string)]));
    await first.write(Buffer.from(after as string));
    expect(second.text()).toBe(first.text());
    expect(Buffer.from(second.snapshot()).toString()).toContain(expected);
  });

  test("leaves a synchronized update behind", async () => {
    using screen = await show("\x1b[?2026hhalf");
    expect(Buffer.from(screen.snapshot()).toString()).not.toContain("2026");
  });

  test("holds colours and lines under the text as they were", async () => {
    using screen = await show("\x1b[1;4:3;58:2::1:2:3;94;48;5;200mx");
    expect(Buffer.from(screen.snapshot()).toString()).toContain("\x1b[0;1;94;48;5;200;4:3;58:2::1:2:3mx");
  });

  test("stays small while a picture without an end comes in", async () => {
    using screen = await show(`\x1bPq${"#1~".repeat(300_000)}`);
    expect(screen.snapshot().length).toBeLessThan(70_000);
    using again = await show(Buffer.concat([screen.snapshot(), Buffer.from("~~\x1b\\text")]));
    expect(again.text()).toBe("text");
  });

  test("of 1 MB of output is made in little time", async () => {
    using screen = new Screen({ cols: 120, rows: 40 });
    const line =
      "\x1b[32m●\x1b[39m \x1b[1mRead\x1b[22m(src/host/screen.ts) with \x1b[38;2;153;153;153m84 lines\x1b[39m\r\n";
    const output = Buffer.from(line.repeat(Math.ceil(2 ** 20 / Buffer.byteLength(line))));
    const start = performance.now();
    await screen.write(output);
    const parsed = performance.now();
    const { length } = screen.snapshot();
    const [parseMs, drawMs] = [parsed - start, performance.now() - parsed].map(Math.round);
    process.stdout.write(
      `1 MB parsed in ${parseMs} ms; its snapshot of ${length} bytes made in ${drawMs} ms\n`,
    );
    expect(length).toBeLessThan(200_000);
  });
});

async function show(bytes: string | Uint8Array): Promise<Screen> {
  const screen = new Screen(SIZE);
  await screen.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  return screen;
}

/** In a process that can be stopped: one that is busy for good would stop all tests with it. */
function showApart(bytes: string): string {
  const script = `
    import { Screen } from ${JSON.stringify(join(import.meta.dirname, "screen.ts"))};
    const screen = new Screen(${JSON.stringify(SIZE)});
    await screen.write(Buffer.from(${JSON.stringify(bytes)}));
    process.stdout.write(screen.text());`;
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const args = ["--input-type=module", "-e", script];
  const { stdout, signal } = spawnSync(process.execPath, args, { stdio: [...stdio], timeout: 20_000 });
  return signal ?? stdout.toString();
}

test("a screen has a size that can be drawn, whatever it is told", () => {
  using screen = new Screen({ cols: 65_535, rows: 65_535 });
  expect(screen.size).toEqual({ cols: 1000, rows: 500 });
  screen.resize({ cols: Number.NaN, rows: 20_000 });
  expect(screen.size).toMatchObject({ rows: 500 });
  expect(screen.size.cols).toBeLessThan(10);
});
