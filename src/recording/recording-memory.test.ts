import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { heldBytes } from "../testing/held-memory.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Recording } from "./recording.ts";

const SESSIONS = 40;
const OUTPUT = `${"a line of output\r\n".repeat(60_000)}a cut character: ${"\u{1f600}"}`;
/** The process itself uses more or less by the way. */
const LITTLE = (SESSIONS * OUTPUT.length) / 4;

test("a recording holds on to nothing of the output that it wrote", () => {
  using folder = tempFolder();
  const held = heldBytes(() =>
    Array.from({ length: SESSIONS }, (_, n) => flooded(join(folder.path, `${n}`))),
  );
  expect(held).toBeLessThan(LITTLE);
});

test("a recording that goes on holds on to nothing of what was written before", () => {
  using folder = tempFolder();
  const folders = Array.from({ length: SESSIONS }, (_, n) => join(folder.path, `${n}`));
  for (const path of folders) flooded(path);
  expect(heldBytes(() => folders.map(open))).toBeLessThan(LITTLE);
});

/** The bytes come in one piece and end inside a character, so that something of them has to be kept. */
function flooded(folder: string): Recording {
  const recording = open(folder);
  recording.write(0, Buffer.from(OUTPUT).subarray(0, -1));
  recording.close();
  return recording;
}

function open(folder: string): Recording {
  return new Recording({
    ...{ folder, generation: 1, mostBytes: 1e9, redactor: createRedactor([]) },
    ...{ reported: () => {}, now: () => 5000, startedAtMs: 1000 },
  });
}
