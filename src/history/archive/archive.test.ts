import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { originalsFolder } from "../../home/layout.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { archiveFile, notesIn } from "./archived-file.ts";
import { bringBackOriginals } from "./bring-back.ts";

const SESSION = { agentType: "claude", nativeId: "aaaaaaaa-1111" };

function place(home: string) {
  const folder = originalsFolder(home, SESSION.agentType, SESSION.nativeId) as string;
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, "agent", "deep"), { recursive: true });
  return { folder, path: join(home, "agent", "deep", "a.jsonl") };
}

function copyIn(folder: string): string {
  const [note] = notesIn(folder);
  if (!note) return "";
  return gunzipSync(readFileSync(join(folder, note.packed)).subarray(0, note.packedBytes)).toString();
}

test("a file that grows is copied piece by piece, and comes back as it was", async () => {
  using home = tempFolder();
  const { folder, path } = place(home.path);
  let text = "";
  // Often enough for a copy to be made anew.
  for (let piece = 0; piece < 70; piece++) {
    const more = `{"line":${piece},"text":"ö"}\n`;
    appendFileSync(path, more);
    text += more;
    const isAnew = piece === 64;
    expect(await archiveFile(folder, path)).toBe(isAnew ? Buffer.byteLength(text) : Buffer.byteLength(more));
  }
  expect(await archiveFile(folder, path)).toBe(0);
  expect(readdirSync(folder)).toHaveLength(2);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  rmSync(join(home.path, "agent"), { recursive: true });
  expect(await bringBackOriginals(home.path, SESSION)).toEqual([path]);
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(readdirSync(join(home.path, "agent", "deep"))).toEqual(["a.jsonl"]);
});

test("a copy whose last piece was not finished goes on behind the one before", async () => {
  using home = tempFolder();
  const { folder, path } = place(home.path);
  writeFileSync(path, "one\n");
  await archiveFile(folder, path);
  appendFileSync(join(folder, notesIn(folder)[0]?.packed as string), "half a piece");
  expect(copyIn(folder)).toBe("one\n");
  appendFileSync(path, "two\n");
  await archiveFile(folder, path);
  expect(copyIn(folder)).toBe("one\ntwo\n");
});

test("a file that was replaced has a new copy, and one that was emptied keeps its own", async () => {
  using home = tempFolder();
  const { folder, path } = place(home.path);
  writeFileSync(path, "one\n");
  await archiveFile(folder, path);
  writeFileSync(path, "another one\n");
  await archiveFile(folder, path);
  expect(copyIn(folder)).toBe("another one\n");
  writeFileSync(path, "");
  expect(await archiveFile(folder, path)).toBe(0);
  expect(copyIn(folder)).toBe("another one\n");
  expect(readdirSync(folder)).toHaveLength(2);
});

test("a file that is there is never written over, and a damaged copy brings nothing back", async () => {
  using home = tempFolder();
  const { folder, path } = place(home.path);
  writeFileSync(path, "one\n");
  await archiveFile(folder, path);
  writeFileSync(path, "mine\n");
  expect(await bringBackOriginals(home.path, SESSION)).toEqual([]);
  expect(readFileSync(path, "utf8")).toBe("mine\n");
  rmSync(path);
  const packed = join(folder, notesIn(folder)[0]?.packed as string);
  const bytes = readFileSync(packed);
  writeFileSync(packed, bytes.fill(0, 12, 20));
  await expect(bringBackOriginals(home.path, SESSION)).rejects.toThrow();
  expect(existsSync(path)).toBe(false);
});

test("an id that is no name of a folder has no copies", () => {
  for (const id of ["..", ".", "", "a/b", "-x", "a".repeat(300)])
    expect(originalsFolder("/h", "claude", id)).toBe(undefined);
});
