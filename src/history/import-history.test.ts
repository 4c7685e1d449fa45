import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";
import type { ImportProgress } from "./report.ts";

describe("an import of one large file", () => {
  test("tells after each commit how far it is", async () => {
    using folder = tempFolder();
    await using rollcall = await openIn(folder.path);
    const size = writeTranscript(folder.path, 3000);
    const told: ImportProgress[] = [];
    await importHistory(rollcall.context, { path: folder.path, tell: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(5);
    expect(told.every(({ doneBytes }, index) => doneBytes >= (told[index - 1]?.doneBytes ?? 0))).toBe(true);
    expect(told[0]?.doneBytes).toBeLessThan(size / 2);
    expect(told.at(-1)).toMatchObject({ doneBytes: size, totalBytes: size });
  });

  test("can be stopped after any commit, and the next one goes on from there", async () => {
    using folder = tempFolder();
    await using rollcall = await openIn(folder.path);
    writeTranscript(folder.path, 3000);
    const stop = new AbortController();
    const given = { path: folder.path, signal: stop.signal };
    const first = await importHistory(rollcall.context, { ...given, tell: () => stop.abort() });
    expect(first).toMatchObject({ isStopped: true, imported: 1 });
    expect(first.entries).toBeLessThan(3000);
    const second = await importHistory(rollcall.context, { path: folder.path });
    expect(second).toMatchObject({ isStopped: false, imported: 0, updated: 1 });
    expect(first.entries + second.entries).toBe(3000);
  });
});

test("the report of an import shows no secret, though a type has it in its name", async () => {
  using folder = tempFolder();
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  await using rollcall = await openIn(folder.path);
  const record = { sessionId: "one", type: `type ${secret}`, uuid: "u" };
  writeFileSync(join(folder.path, "one.jsonl"), `${JSON.stringify(record)}\n`);
  const { unknown } = await importHistory(rollcall.context, { path: folder.path });
  expect(unknown).toEqual([{ type: "type [REDACTED:github]", count: 1 }]);
});

test("an import counts a request once whose blocks are spread over several writes", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  writeAnswer(folder.path, ["a", "b", "c"]);
  const { requests } = await importHistory(rollcall.context, { path: folder.path });
  expect(requests).toBe(1);
});

function openIn(folder: string): Promise<Rollcall> {
  return openRollcall({ home: join(folder, "home"), cwd: folder, env: { HOME: folder } });
}

/** A transcript of so many texts; returns its size. */
function writeTranscript(folder: string, texts: number): number {
  const lines = Array.from({ length: texts }, (_, no) =>
    JSON.stringify({
      type: "user",
      uuid: `uuid-${no}`,
      parentUuid: no === 0 ? null : `uuid-${no - 1}`,
      sessionId: "one",
      cwd: "/work",
      timestamp: new Date(Date.UTC(2026, 0, 1) + no * 1000).toISOString(),
      message: { role: "user", content: `Text ${no}: ${"word ".repeat(20)}` },
    }),
  );
  const text = `${lines.join("\n")}\n`;
  writeFileSync(join(folder, "one.jsonl"), text);
  return Buffer.byteLength(text);
}

/** One answer in blocks, each of which fills a write. */
function writeAnswer(folder: string, blocks: readonly string[]): void {
  const lines = blocks.map((uuid, no) =>
    JSON.stringify({
      type: "assistant",
      uuid,
      parentUuid: blocks[no - 1] ?? null,
      sessionId: "one",
      cwd: "/work",
      timestamp: new Date(Date.UTC(2026, 0, 1) + no * 1000).toISOString(),
      requestId: "request",
      message: {
        id: "answer",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [{ type: "text", text: "word ".repeat(200_000) }],
        usage: { input_tokens: 1, output_tokens: no },
      },
    }),
  );
  writeFileSync(join(folder, "one.jsonl"), `${lines.join("\n")}\n`);
}
