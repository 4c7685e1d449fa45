import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { hasCompiler, startSession } from "./holder-bench.ts";
import { readScreen } from "./read-screen.ts";
import { Screen } from "./screen.ts";
import { writeSnapshot } from "./snapshot-file.ts";

const SIZE = { cols: 40, rows: 5 };
/** Enough to read the output of a flood, and far too little to show it. */
const PAUSE_MS = 50;

describe("the screen of a session", () => {
  test("comes from all segments of its output", async () => {
    using folder = tempFolder();
    spool(folder.path, 0, "one\r\n\x1b[3");
    spool(folder.path, 8, "1mtwo");
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect([screen.text(), offset, gap]).toEqual(["one\ntwo", 13, false]);
  });

  test("can be seen as it was", async () => {
    using folder = tempFolder();
    spool(folder.path, 0, "one\r\n");
    spool(folder.path, 5, "two");
    const { screen, offset } = await readScreen(folder.path, SIZE, { upTo: 7 });
    expect([screen.text(), offset]).toEqual(["one\ntw", 7]);
  });

  test("is empty before the first byte", async () => {
    using folder = tempFolder();
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect([screen.text(), offset, gap]).toEqual(["", 0, false]);
  });

  test("goes on from its snapshot, also where the output before it is gone", async () => {
    using folder = tempFolder();
    await snapshot(folder.path, "first\r\n\x1b[");
    spool(folder.path, 9, "1msecond");
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect([screen.text(), offset, gap]).toEqual(["first\nsecond", 17, false]);
  });

  test("is its snapshot where all output is gone", async () => {
    using folder = tempFolder();
    await snapshot(folder.path, "first");
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect([screen.text(), offset, gap]).toEqual(["first", 5, false]);
  });

  test("is drawn from a snapshot of another size", async () => {
    using folder = tempFolder();
    await snapshot(folder.path, "a line of words\r\n", { cols: 10, rows: 3 });
    const { screen } = await readScreen(folder.path, SIZE);
    expect([screen.size, screen.text()]).toEqual([SIZE, "a line of words"]);
  });

  test("does not use a snapshot that is too new", async () => {
    using folder = tempFolder();
    spool(folder.path, 0, "one two");
    await snapshot(folder.path, "one two");
    const { screen, offset } = await readScreen(folder.path, SIZE, { upTo: 3 });
    expect([screen.text(), offset]).toEqual(["one", 3]);
  });

  test("has a gap where bytes after the snapshot were dropped, and shows no half sequence", async () => {
    using folder = tempFolder();
    await snapshot(folder.path, "top\r\n\x1b[3");
    spool(folder.path, 100, "8;5;12mhalf\r\nafter");
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect([screen.text(), offset, gap]).toEqual(["top\n\nafter", 118, true]);
  });

  test("shows the end of a flood behind a gap", async () => {
    using folder = tempFolder();
    await snapshot(folder.path, "top\r\n");
    const lines = Array.from({ length: 400_000 }, (_, n) => `line ${n}\r\n`).join("");
    spool(folder.path, 100, `${lines}end`);
    const { screen, offset, gap } = await readScreen(folder.path, SIZE);
    expect(screen.text()).toMatch(/line 399998\nline 399999\nend$/);
    expect([offset, gap]).toEqual([100 + lines.length + 3, true]);
  });

  test("has no gap where the output was cut behind a newer snapshot meanwhile", async () => {
    using folder = tempFolder();
    spool(folder.path, 0, "one ");
    const reading = readScreen(folder.path, SIZE);
    await snapshot(folder.path, "one two ");
    rmSync(join(folder.path, segment(0)));
    spool(folder.path, 8, "three");
    const { screen, gap } = await reading;
    expect(["one", "one two three"]).toContain(screen.text());
    expect(gap).toBe(false);
  });

  test("is made while output comes faster than it can be shown", async () => {
    using folder = tempFolder();
    await using _ = flood(folder.path);
    const { screen } = await readScreen(folder.path, SIZE);
    expect(screen.text()).toBe("x\nx\nx\nx");
  });

  test("is refused where there is no folder", async () => {
    using folder = tempFolder();
    await expect(readScreen(join(folder.path, "gone"), SIZE)).rejects.toThrow(/ENOENT/);
  });
});

describe.skipIf(!hasCompiler)("the screen of a real session", () => {
  test("can be read after its holder has left", async () => {
    await using session = await startSession(["printf", "\\033[1mhello\\033[0m\\n…"], {
      host: "pty",
      ...SIZE,
    });
    await session.ended();
    const { screen } = await readScreen(session.dir, SIZE);
    expect(screen.text()).toBe("hello\n…");
  });
});

const segment = (offset: number) => `out-${String(offset).padStart(16, "0")}`;

function spool(dir: string, offset: number, text: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, segment(offset)), text);
}

/** Output that is dropped before a snapshot covers it, again and again, each time long before a screen of it is made. */
function flood(dir: string): AsyncDisposable {
  const text = "x\r\n".repeat(1_000_000);
  let offset = 1;
  let isOn = true;
  spool(dir, offset, text);
  const flooding = (async () => {
    while (isOn) {
      const old = offset;
      offset += text.length;
      spool(dir, offset, text);
      rmSync(join(dir, segment(old)));
      await writeSnapshot(dir, { offset: offset - 1, bytes: Buffer.from("x"), size: SIZE });
      await sleep(PAUSE_MS);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOn = false;
      await flooding;
    },
  };
}

async function snapshot(dir: string, output: string, size = SIZE): Promise<void> {
  using screen = new Screen(size);
  await screen.write(Buffer.from(output));
  await writeSnapshot(dir, { offset: Buffer.byteLength(output), bytes: screen.snapshot(), size });
}
