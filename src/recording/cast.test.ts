import { describe, expect, test } from "vitest";
import { createRedactor } from "../domain/redact/redact.ts";
import { momentOf } from "../domain/transcript/moment.ts";
import { entryAdded, newEvent } from "../testing/events.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { castLines } from "./cast.ts";
import { type Frame, recordedFrames, withMarkers } from "./frames.ts";
import { Recording } from "./recording.ts";

const NO_FACTS = { title: "t", command: null, exit: null };

function open(folder: string, nowMs: number, generation = 1): Recording {
  const redactor = createRedactor([]);
  return new Recording({
    folder,
    generation,
    mostBytes: 1e9,
    redactor,
    now: () => nowMs,
    reported: () => {},
  });
}

function cast(frames: Iterable<Frame>, facts: Parameters<typeof castLines>[1] = NO_FACTS): unknown[] {
  return [...castLines(frames, facts)].map((line) => JSON.parse(line));
}

const out = (atMs: number, text: string): Frame => ({ atMs, kind: "o", text });

function moment(atMs: number, name: string, seq = 1) {
  const body = entryAdded("", { kind: "tool_call", tool: { name } });
  const event = { ...newEvent(body, new Date(atMs).toISOString()), sessionId: "s", seq, id: `e${seq}` };
  return momentOf(event) as NonNullable<ReturnType<typeof momentOf>>;
}

describe("an asciicast", () => {
  test("has a header of version 3 and relative times", () => {
    const frames: Frame[] = [
      { atMs: 5000, kind: "r", text: "80x24" },
      out(5250, "a"),
      out(5250, "b"),
      out(7000, "é"),
    ];
    expect(cast(frames)).toEqual([
      {
        ...{ version: 3, term: { cols: 80, rows: 24, type: "xterm-256color" }, timestamp: 5 },
        ...{ idle_time_limit: 2, title: "t" },
      },
      [0.25, "o", "a"],
      [0, "o", "b"],
      [1.75, "o", "é"],
    ]);
  });

  test("ends with the status of its command", () => {
    const exit = { atMs: 6000, status: 143 };
    expect(cast([out(5000, "a")], { title: "t", command: "make", exit }).slice(1)).toEqual([
      [0, "o", "a"],
      [1, "x", "143"],
    ]);
  });

  test("of nothing is nothing", () => {
    expect(cast([], { ...NO_FACTS, exit: { atMs: 1, status: 0 } })).toEqual([]);
  });

  test("has a marker at each moment, named after the tool and its event", () => {
    const frames = withMarkers(
      [out(5000, "a"), out(6000, "b")],
      [moment(5500, "Bash", 2), moment(9000, "Read", 3)],
    );
    expect(cast(frames).slice(1)).toEqual([
      [0, "o", "a"],
      [0.5, "m", "Bash e2"],
      [0.5, "o", "b"],
      [3, "m", "Read e3"],
    ]);
  });

  test("has moments from before what is kept at its beginning, and never goes back in time", () => {
    const frames = [
      ...withMarkers([out(5000, "a"), out(5000, "b")], [moment(2000, "Old"), moment(1000, "Older")]),
    ];
    expect(frames.map(({ atMs, text }) => [atMs, text])).toEqual([
      [5000, "Older e1"],
      [5000, "Old e1"],
      [5000, "a"],
      [5000, "b"],
    ]);
  });
});

describe("the frames of a recording", () => {
  test("are its output and sizes without the marks of states, and a resumed session begins on a fresh terminal", () => {
    using folder = tempFolder();
    const first = open(folder.path, 1000);
    first.resize(80, 24);
    first.showState("running", null);
    first.write(0, Buffer.from("one"));
    open(folder.path, 9000, 2).write(0, Buffer.from("two"));
    expect([...recordedFrames(folder.path)].map(({ atMs, kind, text }) => [atMs, kind, text])).toEqual([
      [1000, "r", "80x24"],
      [1000, "o", "one"],
      [9000, "o", "\u001bc"],
      [9000, "o", "two"],
    ]);
  });

  test("of a session without a recording are none", () => {
    using folder = tempFolder();
    expect([...recordedFrames(`${folder.path}/absent`)]).toEqual([]);
  });
});
