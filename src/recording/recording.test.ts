import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Recording } from "./recording.ts";
import { type RecordedEvent, readRecording, readRecordingEnd } from "./recording-segments.ts";

const SECRET = "hunter2-is-no-password";
const redactor = createRedactor([SECRET]);
/** What an agent says of its state; its words are in base64, in which no secret is found. */
const REPORT = `\x1b]7501;state=blocked:msg=${Buffer.from(`use ${SECRET}`).toString("base64")}\x07`;

interface Options {
  readonly generation?: number;
  readonly mostBytes?: number;
  readonly nowMs?: number;
}

function open(folder: string, { generation = 1, mostBytes = 1e9, nowMs = 5000 }: Options = {}): Recording {
  return new Recording({ folder, generation, mostBytes, redactor, reported: () => {}, now: () => nowMs });
}

function shown(folder: string, kinds = "om"): string {
  return [...readRecording(folder)].map(([, kind, text]) => (kinds.includes(kind) ? text : "")).join("");
}

/** As a holder that still has the output: from where the recording says it ends. */
function replay(recording: Recording, output: Buffer, chunk = 7): void {
  for (let at = recording.offset; at < output.length; at += chunk)
    recording.write(at, output.subarray(at, at + chunk));
}

/** Text and colours, secrets and their beginnings, characters of all lengths, and bytes that are no text. */
const outputs = fc
  .array(
    fc.oneof(
      fc.constantFrom("plain ", "\x1b[31mred\x1b[0m", "é€😀", "\r\n", "password: ", "sk-ant-api03-"),
      fc.constantFrom(SECRET, SECRET.slice(0, 9), `\x1b[1m${SECRET}`),
      fc.constantFrom(REPORT, "\x1b]7501;", "\x1b", "\x07"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.from(parts.join("")));
const rawOutputs = fc
  .array(fc.oneof(outputs, fc.uint8Array({ maxLength: 5 })), { maxLength: 4 })
  .map((parts) => Buffer.concat(parts));

function recordedWhole(output: Buffer): string {
  using folder = tempFolder();
  const recording = open(folder.path);
  recording.write(0, output);
  recording.end();
  return shown(folder.path);
}

describe("a recording that goes on after a kill", () => {
  test("shows what one without a break shows, wherever the daemon was and wherever its last line was torn", () => {
    fc.assert(
      fc.property(
        rawOutputs,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        (output, killed, torn, chunk) => {
          using folder = tempFolder();
          const first = open(folder.path);
          replay(first, output.subarray(0, killed % (output.length + 1)), chunk);
          tear(folder.path, torn);
          const second = open(folder.path);
          replay(second, output, chunk);
          second.end();
          expect(shown(folder.path)).toBe(recordedWhole(output));
        },
      ),
      { numRuns: 150 },
    );
  });

  test("begins again where the last whole line ends", () => {
    using folder = tempFolder();
    open(folder.path).write(0, Buffer.from("one\n"));
    open(folder.path).write(4, Buffer.from("two\n"));
    appendFileSync(segments(folder.path)[0] as string, '[3,"o","thr');
    expect(open(folder.path).offset).toBe(8);
    expect(shown(folder.path)).toBe("one\ntwo\n");
  });

  test("passes over a last segment with nothing in it", () => {
    using folder = tempFolder();
    open(folder.path).write(0, Buffer.from("one\n"));
    writeFileSync(join(folder.path, "1-000001.cast"), "");
    expect(open(folder.path).offset).toBe(4);
  });

  test("passes over lines that are damaged, such as the zeros of a power cut", () => {
    using folder = tempFolder();
    open(folder.path).write(0, Buffer.from("one\n"));
    appendFileSync(
      segments(folder.path)[0] as string,
      Buffer.from('\0\0\0\n["x"]\n[1,"o",5]\n\0\xff]\n', "latin1"),
    );
    expect([open(folder.path).offset, shown(folder.path)]).toEqual([4, "one\n"]);
  });

  test("does not go back in time, whatever the clock says", () => {
    using folder = tempFolder();
    open(folder.path, { nowMs: 9000 }).write(0, Buffer.from("a"));
    open(folder.path, { nowMs: 2000 }).write(1, Buffer.from("b"));
    expect([...readRecording(folder.path)].map(([seconds]) => seconds)).toEqual([9, 9]);
  });

  test("knows no other generation", () => {
    using folder = tempFolder();
    open(folder.path, { generation: 1 }).write(0, Buffer.from("one\n"));
    const second = open(folder.path, { generation: 2 });
    expect(second.offset).toBe(0);
    second.write(0, Buffer.from("two\n"));
    expect([...readRecording(folder.path, 2)].map(([, , text]) => text)).toEqual(["two\n"]);
    expect(shown(folder.path)).toBe("one\ntwo\n");
  });
});

describe("a secret", () => {
  test("is hidden wherever chunks, a resize, a rest and another daemon cut it", () => {
    const output = Buffer.from(`key: ${SECRET}\r\n`);
    for (let cut = 0; cut <= output.length; cut++) {
      using folder = tempFolder();
      const first = open(folder.path);
      first.write(0, output.subarray(0, cut));
      first.resize(80, 24 + cut);
      first.sync();
      first.close();
      const second = open(folder.path);
      replay(second, output);
      second.end();
      expect(shown(folder.path)).toBe("key: [REDACTED:value]\r\n");
    }
  });

  test("is known by the words before it, also if another daemon wrote those", () => {
    using folder = tempFolder();
    const output = Buffer.from("DB_PASSWORD=x9Tq3vLw8ZrKp2mN\r\n");
    const whole = recordedWhole(output);
    expect(whole).not.toContain("x9Tq3");
    const first = open(folder.path);
    first.write(0, output.subarray(0, "DB_PASSWORD=".length));
    first.close();
    const second = open(folder.path);
    replay(second, output);
    second.end();
    expect(shown(folder.path)).toBe(whole);
  });
});

describe("the text", () => {
  test("is whole where a chunk cuts a character anywhere, or a resize comes in between", () => {
    const output = Buffer.from("aé€😀z");
    for (let cut = 0; cut <= output.length; cut++) {
      using folder = tempFolder();
      const recording = open(folder.path);
      recording.write(0, output.subarray(0, cut));
      recording.resize(100, cut + 1);
      recording.write(cut, output.subarray(cut));
      recording.end();
      expect(shown(folder.path)).toBe("aé€😀z");
    }
  });

  test("that comes twice is recorded once", () => {
    using folder = tempFolder();
    const recording = open(folder.path);
    recording.write(0, Buffer.from("abc"));
    recording.write(1, Buffer.from("bcd"));
    recording.write(0, Buffer.from("ab"));
    expect([shown(folder.path), recording.offset]).toEqual(["abcd", 4]);
  });

  test("that was dropped before it could be taken leaves a mark, and what follows has its place", () => {
    using folder = tempFolder();
    const recording = open(folder.path);
    recording.write(0, Buffer.from("abc"));
    recording.write(1003, Buffer.from("xyz"));
    expect([...readRecording(folder.path)].map(([, ...rest]) => rest)).toEqual([
      ["o", "abc", 3],
      ["m", "1000 bytes were dropped", 1003],
      ["o", "xyz", 1006],
    ]);
  });

  test("of a size is recorded when the size is another", () => {
    using folder = tempFolder();
    const recording = open(folder.path);
    recording.resize(120, 40);
    recording.resize(120, 40);
    recording.write(0, Buffer.from("a"));
    recording.resize(80, 24);
    expect([...readRecording(folder.path)].map(([, kind, text]) => `${kind} ${text}`)).toEqual([
      "r 120x40",
      "o a",
      "r 80x24",
    ]);
  });
});

describe("the files", () => {
  test("are of the user alone", () => {
    using folder = tempFolder();
    const path = join(folder.path, "recordings", "id");
    open(path).write(0, Buffer.from("a"));
    expect([path, ...segments(path)].map((file) => statSync(file).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  test("together never hold more than is allowed, and keep the newest", () => {
    using folder = tempFolder();
    const most = 40_000;
    for (const generation of [1, 2]) {
      const recording = open(folder.path, { generation, mostBytes: most });
      for (let at = 0; at < 100_000; at += 100) recording.write(at, Buffer.from(`${at} `.padEnd(100)));
      recording.close();
      expect(open(folder.path, { generation, mostBytes: most }).offset).toBe(100_000);
    }
    const total = segments(folder.path).reduce((sum, path) => sum + statSync(path).size, 0);
    expect(total).toBeLessThanOrEqual(most);
    expect(total).toBeGreaterThan(most / 2);
    expect([...readRecording(folder.path)].at(-1)?.[2].trim()).toBe("99900");
  });

  test("each tell the size of the terminal, and a kill between them loses and doubles nothing", () => {
    using folder = tempFolder();
    const options = { mostBytes: 4000 };
    const first = open(folder.path, options);
    first.resize(100, 30);
    for (let at = 0; at < 5000; at += 100) first.write(at, Buffer.from("x".repeat(100)));
    const newest = segments(folder.path).sort().at(-1) as string;
    const lines = readFileSync(newest, "utf8").split("\n");
    expect(JSON.parse(lines[0] as string)).toMatchObject({ 1: "r", 2: "100x30" });
    truncateSync(newest, (lines[0] as string).length + 1);
    const [, , , offset = 0] = JSON.parse(lines[0] as string) as RecordedEvent;
    expect(open(folder.path, options).offset).toBe(offset);
    expect([...readRecording(folder.path)].findLast(([, kind]) => kind === "o")?.[3]).toBe(offset);
  });

  test("can be read from the end", () => {
    using folder = tempFolder();
    const recording = open(folder.path, { mostBytes: 40_000 });
    for (let at = 0; at < 20_000; at += 100) recording.write(at, Buffer.from(`${at} `.padEnd(100)));
    const all = [...readRecording(folder.path, 1)];
    const end = [...readRecordingEnd(folder.path, 1, 5000)];
    expect(end).toEqual(all.slice(-end.length));
    expect(end.length).toBeLessThan(all.length);
    expect([...readRecordingEnd(folder.path, 1, 1e9)]).toEqual(all);
    expect([...readRecordingEnd(folder.path, 2, 1e9)]).toEqual([]);
  });

  test("are none where nothing may be kept", () => {
    using folder = tempFolder();
    const recording = open(folder.path, { mostBytes: 0 });
    recording.write(0, Buffer.from("abc"));
    recording.end();
    expect([readdirSync(folder.path), recording.offset]).toEqual([[], 3]);
  });

  test("of others in the folder are left alone", () => {
    using folder = tempFolder();
    mkdirSync(join(folder.path, "1-x.cast"));
    writeFileSync(join(folder.path, "notes.txt"), "mine");
    open(folder.path).write(0, Buffer.from("abc"));
    expect(shown(folder.path)).toBe("abc");
    expect(readFileSync(join(folder.path, "notes.txt"), "utf8")).toBe("mine");
  });

  test("of a session that has none read as nothing", () => {
    expect([...readRecording("/nowhere/at/all")]).toEqual([]);
  });
});

function segments(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

/** What a kill in the middle of a write leaves. */
function tear(folder: string, bytes: number): void {
  const last = segments(folder).sort().at(-1);
  if (last === undefined) return;
  const { size } = statSync(last);
  truncateSync(last, size - (bytes % (size + 1)));
}
