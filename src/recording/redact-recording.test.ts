import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { readRecording } from "./recording-segments.ts";
import { redactRecording } from "./redact-recording.ts";

const SECRET = "hunter2hunter2hunter2";
const redactor = createRedactor([SECRET]);

test("a secret leaves the recording also where it goes over the border of two writes and two files", () => {
  using folder = recordingOf(
    ["1-000001.cast", [`a ${SECRET} b `, `c ${SECRET.slice(0, 9)}`]],
    ["1-000002.cast", [SECRET.slice(9), " d"]],
  );
  expect(redactRecording(folder.path, redactor, { isDry: true })).toBe(2);
  expect(textIn(folder.path)).toContain(SECRET);
  expect(redactRecording(folder.path, redactor, { isDry: false })).toBe(2);
  const shown = [...readRecording(folder.path)].map(([, , text]) => text);
  expect(shown).toEqual(["a [REDACTED:value] b ", "c [REDACTED:value]", "", " d"]);
  expect(textIn(folder.path)).not.toContain(SECRET.slice(0, 9));
  expect(redactRecording(folder.path, redactor, { isDry: false })).toBe(0);
});

test("two generations are not read as one text", () => {
  using folder = recordingOf(["1-000001.cast", [SECRET.slice(0, 9)]], ["2-000001.cast", [SECRET.slice(9)]]);
  expect(redactRecording(folder.path, redactor, { isDry: false })).toBe(0);
});

function recordingOf(...files: readonly (readonly [name: string, texts: readonly string[]])[]) {
  const folder = tempFolder();
  mkdirSync(folder.path, { recursive: true });
  for (const [name, texts] of files) {
    const lines = texts.map((text, index) => JSON.stringify([index, "o", text, index]));
    writeFileSync(join(folder.path, name), `${lines.join("\n")}\n`);
  }
  return folder;
}

function textIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}
