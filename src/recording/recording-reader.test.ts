import { expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Recording } from "./recording.ts";
import { RecordingReader } from "./recording-reader.ts";

test("a recording that grows is read on, each event once, also when its beginning is dropped", () => {
  using folder = tempFolder();
  const recording = new Recording({
    ...{ folder: folder.path, generation: 1, mostBytes: 40_000, redactor: createRedactor([]) },
    ...{ now: () => 1000, reported: () => {} },
  });
  const reader = new RecordingReader(folder.path);
  const seen: string[] = [];
  let offset = 0;
  for (let line = 0; line < 2000; line++) {
    const bytes = Buffer.from(`line ${line} ${"x".repeat(50)}\n`);
    recording.write(offset, bytes);
    offset += bytes.length;
    if (line % 50 === 0) seen.push(...texts(reader));
  }
  recording.end();
  seen.push(...texts(reader));
  const numbers = [...seen.join("").matchAll(/line (\d+) /g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: 2000 }, (_, line) => line));
  expect(texts(reader)).toEqual([]);
  expect(texts(new RecordingReader(folder.path)).join("")).not.toContain("line 0 ");
});

function texts(reader: RecordingReader): string[] {
  return [...reader.next()].filter(([, kind]) => kind === "o").map(([, , text]) => text);
}
