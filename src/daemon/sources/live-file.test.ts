import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { type LivingProcess, markedProcess } from "../../testing/living-process.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { keptIntake, type TakenIn } from "../../testing/session/ports.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { LiveFile } from "./live-file.ts";

const MARKER = "a".repeat(32);

useFakeTime();

function liveFileOf(folder: string) {
  const { taken, ...port } = keptIntake({ known: "before" });
  const source = new LiveFile(port, {
    folder,
    marker: MARKER,
    spec: { parse: (content, memory) => ({ memory: { status: content.status ?? null, ...memory } }) },
  });
  const statusOf = ({ parsed }: TakenIn) => parsed?.memory?.status;
  const statuses = async (count: number) => (await taken.first(count)).map(statusOf);
  /** Everything that was parsed until this process has written its last word. */
  const statusesBefore = async (agent: LivingProcess) => {
    write(folder, agent.pid, { status: "last" });
    return (await taken.through((each) => statusOf(each) === "last")).map(statusOf).slice(0, -1);
  };
  return { source, taken, statuses, statusesBefore, [Symbol.dispose]: () => source.stop() };
}

function write(folder: string, pid: number, content: JsonObject = {}): void {
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify({ pid, ...content }));
}

test("a live file that is there, and each change of it, is parsed with what is remembered", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  write(folder.path, agent.pid, { status: "busy" });
  live.source.begin();
  expect(await live.taken.first(1)).toEqual([
    { parsed: { memory: { status: "busy", known: "before" } }, place: null },
  ]);
  write(folder.path, agent.pid, { status: "idle" });
  expect(await live.statuses(2)).toEqual(["busy", "idle"]);
});

test("a folder of live files that comes later is read at the next try", async () => {
  using parent = tempFolder();
  await using agent = await markedProcess(MARKER);
  const folder = join(parent.path, "later");
  using live = liveFileOf(folder);
  live.source.begin();
  mkdirSync(folder);
  write(folder, agent.pid, { status: "busy" });
  await pass(250);
  expect(await live.statuses(1)).toEqual(["busy"]);
});

test("a live file of a process without the marker of the launch is not read", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  await using other = await markedProcess("b".repeat(32));
  using live = liveFileOf(folder.path);
  write(folder.path, other.pid, { status: "other" });
  live.source.begin();
  expect(await live.statusesBefore(agent)).toEqual([]);
});

test("a live file of a process that is gone is not read", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  const gone = await markedProcess(MARKER);
  await gone.kill();
  using live = liveFileOf(folder.path);
  write(folder.path, gone.pid, { status: "gone" });
  live.source.begin();
  expect(await live.statusesBefore(agent)).toEqual([]);
});

test("a live file that is half written, of another process or not named by a pid is passed over", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  const path = join(folder.path, `${agent.pid}.json`);
  writeFileSync(path, `{"pid":${agent.pid},"sta`);
  writeFileSync(
    join(folder.path, `old-${agent.pid}.json`),
    JSON.stringify({ pid: agent.pid, status: "old" }),
  );
  live.source.begin();
  await idle();
  writeFileSync(path, JSON.stringify({ pid: agent.pid + 1, status: "another" }));
  live.source.refresh();
  await idle();
  expect(await live.statusesBefore(agent)).toEqual([]);
});

test("a live file that says nothing new is passed over", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  live.source.begin();
  write(folder.path, agent.pid, { status: "busy" });
  await live.taken.first(1);
  write(folder.path, agent.pid, { status: "busy" });
  await idle();
  expect(await live.statusesBefore(agent)).toEqual(["busy"]);
});

test("a live file that says nothing new is read again when that is asked for", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  write(folder.path, agent.pid, { status: "busy" });
  live.source.begin();
  await live.taken.first(1);
  live.source.refresh();
  expect(await live.statuses(2)).toEqual(["busy", "busy"]);
});

test("a live file whose source is begun twice is read once", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  write(folder.path, agent.pid, { status: "busy" });
  live.source.begin();
  await live.taken.first(1);
  live.source.begin();
  await idle();
  expect(await live.statusesBefore(agent)).toEqual(["busy"]);
});

test("a live file is not read after its source was stopped", async () => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using live = liveFileOf(folder.path);
  write(folder.path, agent.pid, { status: "busy" });
  live.source.begin();
  live.source.stop();
  live.source.refresh();
  live.source.begin();
  await idle();
  expect(live.taken.all).toEqual([]);
});
