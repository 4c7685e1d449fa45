import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempFolder } from "../../testing/temp-folder.ts";
import { LONGEST_LINE } from "../readers/line-reader.ts";
import { type WantedLine, wantedLines } from "./wanted-lines.ts";

const MARKS = ['usage"', 'Count"'];

test("exactly the whole lines with a mark are found, wherever the chunks of the file end", async () => {
  // Some are longer than a chunk, which is 256 KiB.
  const line = fc
    .tuple(fc.constantFrom("", "é", ...MARKS), fc.constantFrom(0, 1, 100, 131_071, 262_144, 300_000))
    .map(([mark, bytes]) => `${"x".repeat(bytes)}${mark}y`);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.boolean(), async (lines, isWhole) => {
      const text = lines.map((one) => `${one}\n`).join("");
      const found = await foundIn(isWhole ? text : text.slice(0, -1));
      expect(found).toEqual(expectedIn(isWhole ? lines : lines.slice(0, -1)));
    }),
    { numRuns: 60 },
  );
});

test("a line that is longer than anything an agent writes is passed over, and those around it are found", async () => {
  const lines = ['first usage"', `${"x".repeat(LONGEST_LINE)} usage"`, 'last usage"'];
  const found = await foundIn(lines.map((one) => `${one}\n`).join(""));
  expect(found.map(({ text }) => text)).toEqual(['first usage"', 'last usage"']);
  expect(found.at(-1)?.offset).toBe(lines.join("\n").length + 1);
});

async function foundIn(text: string): Promise<WantedLine[]> {
  using folder = tempFolder();
  const path = join(folder.path, "a.jsonl");
  writeFileSync(path, text);
  const fd = openSync(path, "r");
  try {
    return (await Array.fromAsync(wantedLines(fd, path, MARKS))).flat();
  } finally {
    closeSync(fd);
  }
}

function expectedIn(lines: readonly string[]): WantedLine[] {
  let offset = 0;
  const placed = lines.map((text) => {
    offset += Buffer.byteLength(text) + 1;
    return { text, offset };
  });
  return placed.filter(({ text }) => MARKS.some((mark) => text.includes(mark)));
}
