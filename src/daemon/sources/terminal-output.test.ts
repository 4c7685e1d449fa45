import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import {
  configOf,
  factsOf,
  type GivenFacts,
  holderOf,
  KeptConnection,
  keptLog,
} from "../../testing/session/ports.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { ActivityWatch } from "../session/activity-watch.ts";
import { TerminalOutput } from "./terminal-output.ts";

const KB = 1024;
const LINE = `${"x".repeat(62)}\r\n`;

useFakeTime();

/** A terminal whose holder has everything in its spool that was written. */
function terminalOf(given: GivenFacts["mode"] = {}) {
  const folder = tempFolder();
  mkdirSync(join(folder.path, "recordings"));
  const connection = new KeptConnection();
  const activity = new ActivityWatch(
    () => Date.now(),
    () => {},
  );
  const { log, messages } = keptLog();
  const output = new TerminalOutput({
    ...factsOf({ folder: folder.path, mode: given }),
    ...holderOf({ connection, status: {} }),
    log,
    config: configOf(),
    now: () => Date.now(),
    places: { recordings: join(folder.path, "recordings") },
    snapshots: new SerialQueue(),
    activity,
  });
  let written = "";
  const write = (text: string) => {
    const offset = written.length;
    written += text;
    writeFileSync(join(folder.path, `out-${"0".repeat(16)}`), written);
    output.take({ type: "output", stream: "out", offset, bytes: Buffer.from(text) });
  };
  const dispose = async () => {
    await output.letGo();
    folder[Symbol.dispose]();
  };
  return { output, write, activity, messages, sent: connection.sent, [Symbol.asyncDispose]: dispose };
}

test("output of a terminal goes on where its recording ends", async () => {
  await using at = terminalOf();
  at.write("hello");
  expect(at.output.from).toEqual({ out: 5, err: 0 });
});

test("much output is let go of behind a snapshot, a second after the terminal rests", async () => {
  await using at = terminalOf();
  at.write(LINE.repeat((512 * KB) / 64));
  await pass(999);
  at.write("more\r\n");
  await pass(999);
  await idle();
  expect([at.sent.all, vi.getTimerCount()]).toEqual([[], 1]);
  await pass(1);
  expect(await at.sent.first(1)).toEqual([`A {"stream":"out","offset":${512 * KB + 6}}`]);
});

test("little output is kept without a snapshot", async () => {
  await using at = terminalOf();
  at.write(LINE.repeat((511 * KB) / 64));
  expect(vi.getTimerCount()).toBe(0);
});

test("a terminal that never rests is not waited for beyond 4 MB", async () => {
  await using at = terminalOf();
  at.write(LINE.repeat((4096 * KB) / 64));
  await pass(500);
  at.write("more\r\n");
  await pass(500);
  expect(await at.sent.first(1)).toHaveLength(1);
});

test("output behind a snapshot has to become much again before the next one", async () => {
  await using at = terminalOf();
  at.write(LINE.repeat((512 * KB) / 64));
  await pass(1000);
  await at.sent.first(1);
  await idle();
  at.write("more\r\n");
  expect(vi.getTimerCount()).toBe(0);
  at.write(LINE.repeat((512 * KB) / 64));
  await pass(1000);
  expect(await at.sent.first(2)).toHaveLength(2);
});

test.each(["finish", "letGo"] as const)("no snapshot is made after `%s`", async (end) => {
  await using at = terminalOf();
  at.write(LINE.repeat((512 * KB) / 64));
  await at.output[end]();
  expect(vi.getTimerCount()).toBe(0);
});

test("the last reports in the output behind a place are known", async () => {
  await using at = terminalOf();
  const report = (state: string) => `\u001b]7501;state=${state}\u0007`;
  at.write(report("busy"));
  const place = at.output.from.out;
  at.write(report("idle"));
  expect(at.output.reportsAfter(place)).toEqual([{ state: "idle" }]);
  at.write(report("n").repeat(150));
  expect(at.output.reportsAfter(0)).toHaveLength(100);
});

test.each([
  ["a plain command", true, "hello"],
  ["an agent", false, "before"],
])("the activity of %s is told by its output: %s", async (_, outputIsTranscript, text) => {
  await using at = terminalOf({ capabilities: { outputIsTranscript } });
  at.activity.restore({ text: "before", tool: null, at: "2026-01-01T00:00:00.000Z" });
  at.write("hello\r\n");
  expect(at.activity.current).toMatchObject({ text, at: new Date().toISOString() });
});
