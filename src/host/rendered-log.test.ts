import { expect, test } from "vitest";
import { RenderedLog } from "./rendered-log.ts";

/** All that a log gives out, with a look at the screen after each piece. */
function followed(pieces: readonly string[]): string[] {
  const log = new RenderedLog();
  const lines = pieces.flatMap((piece) => [...log.write(piece), ...log.show({ isOver: false })]);
  return [...lines, ...log.show({ isOver: true })];
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);

test("plain output is given out line by line, each once, however many there are", () => {
  const lines = numbered(25_000);
  const log = new RenderedLog();
  const out = log.write(lines.map((line) => `${line}\r\n`).join(""));
  expect([...out, ...log.show({ isOver: true })]).toEqual(lines);
});

test("a log that is followed gives out each line once, when it is whole", () => {
  const lines = numbered(100);
  expect(followed(lines.flatMap((line) => [line.slice(0, 3), `${line.slice(3)}\r\n`]))).toEqual(lines);
});

test("lines longer than the terminal stay whole, and colours and moves of the cursor leave no trace", () => {
  const long = "x".repeat(1000);
  expect(followed([`${long}\r\n`, "\u001b[31mred\u001b[0m\r\n", "wrong\u001b[5Dright\r\n"])).toEqual([
    long,
    "red",
    "right",
  ]);
});

test("a program on a screen of its own is given out as it looks, and what it draws over once more", () => {
  const lines = followed(["$ edit\r\n", "\u001b[?1049h\u001b[2J\u001b[3;5Hmenu", "\u001b[3;5Hdone"]);
  expect(lines).toEqual(["$ edit", "", "", "    menu", "    done"]);
});

test("a screen that was left is not given out again, and what follows is", () => {
  const lines = followed(["one\r\n", "\u001b[?1049h\u001b[2J\u001b[Hfull", "\u001b[?1049ltwo\r\n"]);
  expect(lines.filter((line) => line === "one" || line === "two")).toEqual(["one", "two"]);
});

test("a screen of its own is given out as it stood when its program left it", () => {
  const log = new RenderedLog();
  const lines = log.write(
    "$ edit\r\n\u001b[?1049h\u001b[2J\u001b[Hmenu\r\nlast words\u001b[?1049l$ exit\r\n",
  );
  expect([...lines, ...log.show({ isOver: true })]).toEqual(["$ edit", "menu", "last words", "$ exit"]);
});
