import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { acp } from "../../agents/gemini/acp/mode.ts";
import { interactive } from "../../agents/gemini/interactive/mode.ts";
import { filesBelow } from "../../machine/files-below.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { keepTranscript, restoreTranscript } from "./kept-transcript.ts";

const NATIVE = "d268289b-9ad4-4131-b723-97e1a4a4f452";
const HEAD = `${JSON.stringify({ sessionId: NATIVE, kind: "main" })}\n`;
const WORD = `${JSON.stringify({ id: "1", timestamp: "2026-11-18T20:37:01.000Z", type: "user", content: [{ text: "hi" }] })}\n`;
const FILE = "project/chats/session-2026-11-18T20-37-d268289b.jsonl";

function place(folder: string) {
  const transcripts = join(folder, "agent");
  const conversation = {
    home: join(folder, "home"),
    id: "session-1",
    mode: interactive,
    transcripts,
    nativeId: NATIVE,
  };
  const path = join(transcripts, FILE);
  const write = (text: string, name = FILE) => {
    mkdirSync(dirname(join(transcripts, name)), { recursive: true });
    writeFileSync(join(transcripts, name), text);
  };
  const kept = () => filesBelow(join(conversation.home, "transcripts", "session-1"), 5);
  return { conversation, path, write, kept };
}

test("a transcript that its agent deleted is there again before a resume", () => {
  using folder = tempFolder();
  const { conversation, path, write } = place(folder.path);
  write(`${HEAD}all of it\n`);
  keepTranscript(conversation);
  rmSync(path);
  restoreTranscript(conversation);
  expect(readFileSync(path, "utf8")).toBe(`${HEAD}all of it\n`);
});

test("a transcript that is there is never replaced by its copy, and is copied before a resume", () => {
  using folder = tempFolder();
  const { conversation, path, write } = place(folder.path);
  write(`${HEAD}old\n`);
  keepTranscript(conversation);
  write(`${HEAD}old\nnew\n`);
  restoreTranscript(conversation);
  rmSync(path);
  restoreTranscript(conversation);
  expect(readFileSync(path, "utf8")).toBe(`${HEAD}old\nnew\n`);
});

test("a copy outlives the loss of what it was made of, and the heads beside it are not kept", () => {
  using folder = tempFolder();
  const { conversation, path, write, kept } = place(folder.path);
  write(`${HEAD}all of it\n`);
  write(HEAD, "project/chats/session-2026-11-18T20-50-d268289b.jsonl");
  keepTranscript(conversation);
  rmSync(dirname(path), { recursive: true });
  keepTranscript(conversation);
  expect(kept().map((file) => readFileSync(file, "utf8"))).toEqual([`${HEAD}all of it\n`]);
});

test("the file of another conversation with the same beginning of its id is not taken", () => {
  using folder = tempFolder();
  const { conversation, write, kept } = place(folder.path);
  write(HEAD.replace(NATIVE, "d268289b-0000-4000-8000-000000000000"));
  keepTranscript(conversation);
  expect(kept()).toEqual([]);
});

test("a transcript without measure is neither copied nor read, and stays", () => {
  using folder = tempFolder();
  const { conversation, path, write, kept } = place(folder.path);
  write(`${HEAD}${WORD}`);
  truncateSync(path, 2 ** 27);
  restoreTranscript({ ...conversation, mode: acp });
  expect(kept()).toEqual([]);
  expect(filesBelow(join(folder.path, "agent"), 5).map((file) => statSync(file).size)).toEqual([2 ** 27]);
});

test("no copy is written through a link that stands in the place of an unfinished one", () => {
  using folder = tempFolder();
  const { conversation, path, write } = place(folder.path);
  const theirs = join(folder.path, "theirs");
  writeFileSync(theirs, "mine\n");
  write(`${HEAD}all of it\n`);
  keepTranscript(conversation);
  rmSync(path);
  symlinkSync(theirs, `${path}.rollcall-${process.pid}`);
  restoreTranscript(conversation);
  expect([readFileSync(theirs, "utf8"), readFileSync(path, "utf8")]).toEqual([
    "mine\n",
    `${HEAD}all of it\n`,
  ]);
});

test("nothing is kept of an agent that deletes nothing", () => {
  using folder = tempFolder();
  const { conversation, write, kept } = place(folder.path);
  write(`${HEAD}all of it\n`);
  const { mayBeDeleted: _, ...transcript } = interactive.sources.transcript ?? { parse: () => ({}) };
  keepTranscript({ ...conversation, mode: { ...interactive, sources: { transcript } } });
  expect([kept(), existsSync(join(folder.path, "home"))]).toEqual([[], false]);
});

test("before a resume over a protocol a transcript gets a name of its own, and empty files beside it go", () => {
  using folder = tempFolder();
  const { conversation, path, write, kept } = place(folder.path);
  const spoken = { ...conversation, mode: acp };
  const twin = "project/chats/session-2026-11-18T20-50-d268289b.jsonl";
  write(`${HEAD}${WORD}`);
  write(HEAD, twin);
  restoreTranscript(spoken);
  const moved = path.replace("20-37-", "20-37-00-");
  expect([
    existsSync(path),
    existsSync(join(dirname(path), "session-2026-11-18T20-50-d268289b.jsonl")),
  ]).toEqual([false, false]);
  expect(readFileSync(moved, "utf8")).toBe(`${HEAD}${WORD}`);
  expect(kept().map((file) => file.slice(-34))).toEqual([moved.slice(-34)]);
  // Once more, with nothing left to do, and after its agent deleted it.
  restoreTranscript(spoken);
  rmSync(moved);
  restoreTranscript(spoken);
  expect(readFileSync(moved, "utf8")).toBe(`${HEAD}${WORD}`);
});

test("no file with words is removed before a resume over a protocol", () => {
  using folder = tempFolder();
  const { conversation, path, write } = place(folder.path);
  const other = "project/chats/session-2026-11-18T20-50-d268289b.jsonl";
  write(`${HEAD}${WORD}${WORD}`);
  write(`${HEAD}${WORD}`, other);
  restoreTranscript({ ...conversation, mode: acp });
  expect(existsSync(join(dirname(path), "session-2026-11-18T20-50-d268289b.jsonl"))).toBe(true);
});
