import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRollcall, type Rollcall, type SessionRecord } from "../../src/index.ts";
import { Child } from "./child.ts";
import { Place } from "./place.ts";
import { report, times } from "./scale.ts";
import type { Said } from "./workers/change-sessions.ts";

const WRITERS = 10;
const SHARED = 3;

test("ten processes that create, update and finalise at once lose nothing", async () => {
  using place = new Place("writers");
  const [home, workspace] = [place.path("home"), place.folder("workspace")];
  const shared = await createShared(home, workspace);
  const said = await letAllWrite(place, shared, times(12, 60));
  const files = readFiles(workspace);

  await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
  const records = new Map<string, SessionRecord>();
  for await (const record of rollcall.list()) records.set(record.id, record);
  expect(said.filter(({ did }) => did === "failed")).toEqual([]);
  expect(records.size).toBe(SHARED + said.filter(({ did }) => did === "create").length);
  for (const record of records.values()) await expectWhole(rollcall, record, said);
  for (const id of shared) expectOneEnd(records.get(id), said);
  for (const record of records.values()) expect(files.get(record.id)).toMatchObject(plain(record));
  expect((await rollcall.verify()).problems).toEqual([]);
  const refused = said.filter(({ did }) => did === "refused").length;
  report(
    `${WRITERS} writers: ${said.length - refused - WRITERS} acknowledged, ${refused} refused as final, 0 lost, 0 errors`,
  );
});

test("ten processes that open a new store at the same moment all get it", async () => {
  using place = new Place("openers");
  const rounds = times(10, 30);
  for (let round = 0; round < rounds; round++) {
    const [home, workspace] = [place.path(`home-${round}`), place.folder(`workspace-${round}`)];
    const said = await letAllWrite(place, [], 1, [home, workspace]);
    expect(said.filter(({ did }) => did === "failed")).toEqual([]);
    await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
    expect(await rollcall.verify()).toMatchObject({ sessions: WRITERS, problems: [] });
  }
  report(`${rounds} new stores opened by ${WRITERS} processes at once: 0 errors`);
});

async function createShared(home: string, workspace: string): Promise<string[]> {
  await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
  const ids: string[] = [];
  for (let n = 0; n < SHARED; n++) ids.push((await rollcall.create({ name: `shared-${n}` })).id);
  return ids;
}

async function letAllWrite(
  place: Place,
  shared: readonly string[],
  rounds: number,
  [home, workspace] = [place.path("home"), place.folder("workspace")],
): Promise<Said[]> {
  const writers = Array.from({ length: WRITERS }, (_, index) => {
    const args = [home, workspace, String(index), String(rounds), ...shared];
    return new Child("change-sessions.ts", args, { env: place.env });
  });
  for (const writer of writers) await writer.said(1);
  for (const writer of writers) writer.send("go");
  for (const writer of writers) {
    const { code } = await writer.ended;
    expect(`${code} ${writer.stderr}`).toBe("0 ");
  }
  return writers.flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Said));
}

async function expectWhole(rollcall: Rollcall, record: SessionRecord, all: readonly Said[]): Promise<void> {
  const said = all.filter((one) => "id" in one && one.id === record.id);
  const keys = said.flatMap((one) => (one.did === "metadata" ? [one.key] : []));
  expect(Object.keys(record.metadata).sort()).toEqual(keys.sort());
  expect(record.errorCount).toBe(said.filter(({ did }) => did === "error").length);
  expect(record.history).toHaveLength(said.filter(({ did }) => did === "phase").length);
  const seqs: number[] = [];
  for await (const { seq } of rollcall.events(record.id)) seqs.push(seq);
  expect(seqs).toEqual(Array.from({ length: record.seq }, (_, index) => index + 1));
}

/** Whoever was told that it is final has said the word it ended with, and all others were told that word. */
function expectOneEnd(record: SessionRecord | undefined, said: readonly Said[]): void {
  const words = said.flatMap((one) => {
    const isEnd = one.did === "finalize" || one.did === "refused";
    return isEnd && one.id === record?.id ? [one.phase] : [];
  });
  expect(new Set(words)).toEqual(new Set([record?.phase]));
}

function readFiles(workspace: string): Map<string, object> {
  const folder = join(workspace, ".rollcall", "sessions");
  const names = readdirSync(folder);
  expect(names.filter((name) => !name.endsWith(".json"))).toEqual([]);
  return new Map(
    names.map((name) => [name.replace(/\.json$/, ""), JSON.parse(readFileSync(join(folder, name), "utf8"))]),
  );
}

function plain(record: SessionRecord): object {
  return JSON.parse(JSON.stringify(record));
}
