import { describe, expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Recording, type Reported } from "./recording.ts";
import { readRecording } from "./recording-segments.ts";

const SECRET = "hunter2-is-no-password";
/** What an agent says of its state; its words are in base64, in which no secret is found. */
const REPORT = `\x1b]7501;state=blocked:msg=${Buffer.from(`use ${SECRET}`).toString("base64")}\x07`;

function open(folder: string, told: Reported[] = [], mostBytes = 1e9): Recording {
  return new Recording({
    ...{ folder, generation: 1, mostBytes, redactor: createRedactor([SECRET]) },
    ...{ now: () => 5000, reported: (report) => void told.push(report) },
  });
}

function shown(folder: string): string {
  return [...readRecording(folder)].map(([, , text]) => text).join("");
}

describe("a report of the agent", () => {
  test("is told and not recorded, wherever chunks and another daemon cut it", () => {
    const output = Buffer.from(`key: ${SECRET.slice(0, 9)}${REPORT}${SECRET.slice(9)} é${REPORT}z`);
    for (let cut = 0; cut <= output.length; cut++) {
      using folder = tempFolder();
      const told: Reported[] = [];
      const first = open(folder.path, told);
      first.write(0, output.subarray(0, cut));
      first.close();
      const second = open(folder.path, told);
      second.write(second.offset, output.subarray(second.offset));
      second.end();
      expect(shown(folder.path)).toBe("key: [REDACTED:value] éz");
      const ends = [...new Set(told.map(({ offset }) => offset))].sort((a, b) => a - b);
      expect(ends).toEqual([output.indexOf("\x07") + 1, output.lastIndexOf("\x07") + 1]);
      expect(new Set(told.map(({ text }) => text))).toEqual(new Set([REPORT.slice(7, -1)]));
    }
  });

  test("is told also where nothing may be kept", () => {
    using folder = tempFolder();
    const told: Reported[] = [];
    open(folder.path, told, 0).write(0, Buffer.from(`a${REPORT}`));
    expect(told).toHaveLength(1);
  });
});

test("the state is marked where it changes, once, also if another daemon goes on", () => {
  using folder = tempFolder();
  const first = open(folder.path);
  first.write(0, Buffer.from("asks\r\n"));
  first.showState("waiting_input", "permission");
  first.showState("waiting_input", "permission");
  first.close();
  const second = open(folder.path);
  expect(second.offset).toBe(6);
  second.showState("waiting_input", "permission");
  second.showState("running", null);
  second.write(6, Buffer.from("goes on\r\n"));
  expect([...readRecording(folder.path)].map(([, ...rest]) => rest)).toEqual([
    ["o", "asks\r\n", 6],
    ["m", "state: waiting_input (permission)", 6],
    ["m", "state: running", 6],
    ["o", "goes on\r\n", 15],
  ]);
});
