import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { CHOSEN_PRICES } from "../testing/history/cost.ts";
import { IMPORTED_SEEDS, seedsBelow } from "../testing/history/seeds.ts";
import { shownSessions, shownTruth } from "../testing/history/shown.ts";
import { type Arrival, stagesOf } from "../testing/history/stages.ts";
import { generateGeminiTree, generateTree } from "../testing/history/tree.ts";
import type { HistoryFile, HistoryTree } from "../testing/history/truth.ts";
import { environmentOf, folderOf, writeFiles } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

/** The seeds of a part come into one store together. */
const PARTS = 10;
/** An import after each file takes longer, so that fewer trees are brought in this way. */
const STAGED = Math.ceil(IMPORTED_SEEDS / 8);
const MIDDLE = "claude: fork without the first record (D2)";

describe("generated histories of Claude Code and Codex", () => {
  test.each(seedsBelow(PARTS))("are counted exactly, session by session: part %i", async (part) => {
    const seeds = seedsBelow(IMPORTED_SEEDS).filter((seed) => seed % PARTS === part);
    await checkTrees(seeds.map(generateTree), "at once");
  });

  test.each(seedsBelow(STAGED))("are counted exactly when they come file by file: seed %i", async (seed) => {
    await checkTrees([generateTree(seed)], "file by file");
  });

  // A fork that begins in the middle of its origin is found when both are new, and not when the origin grows behind it.
  const growing = seedsBelow(STAGED).filter((seed) => !generateTree(seed).traps.has(MIDDLE));
  test.each(growing)("are counted exactly when they come in halves: seed %i", async (seed) => {
    await checkTrees([generateTree(seed)], "in halves");
  });

  test("are not read again when a rollout is archived", async () => {
    using folder = tempFolder();
    await using rollcall = await openIn(folder.path);
    const { files } = generateTree(0);
    const isActive = ({ path, agent }: HistoryFile) => agent === "codex" && path.startsWith("sessions/");
    writeFiles(folder.path, files);
    await importHistory(rollcall.context);
    const active = files.filter(isActive);
    expect(active).not.toEqual([]);
    moveToArchive(folderOf(folder.path, "codex"), active);
    await expectNoWrites(rollcall);
  });
});

describe("generated histories of Gemini CLI", () => {
  test.each(seedsBelow(PARTS))("are counted exactly, session by session: part %i", async (part) => {
    const seeds = seedsBelow(IMPORTED_SEEDS).filter((seed) => seed % PARTS === part);
    await checkTrees(seeds.map(generateGeminiTree), "at once");
  });

  test.each(seedsBelow(STAGED))("are counted exactly when they come file by file: seed %i", async (seed) => {
    await checkTrees([generateGeminiTree(seed)], "file by file");
  });

  test.each(seedsBelow(STAGED))("are counted exactly when they come in halves: seed %i", async (seed) => {
    await checkTrees([generateGeminiTree(seed)], "in halves");
  });
});

async function openIn(folder: string): Promise<Rollcall> {
  const home = join(folder, "home");
  mkdirSync(home);
  writeFileSync(join(home, "config.json"), JSON.stringify({ prices: CHOSEN_PRICES }));
  return openRollcall({ home, cwd: folder, env: environmentOf(folder) });
}

function moveToArchive(codexHome: string, files: readonly HistoryFile[]): void {
  const archive = join(codexHome, "archived_sessions");
  mkdirSync(archive, { recursive: true });
  for (const { path } of files) renameSync(join(codexHome, path), join(archive, basename(path)));
}

async function checkTrees(trees: readonly HistoryTree[], arrival: Arrival): Promise<void> {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const stages = trees.map((tree) => stagesOf(tree, arrival));
  for (let stage = 0; stages.some((each) => stage < each.length); stage++) {
    for (const each of stages) writeFiles(folder.path, each[Math.min(stage, each.length - 1)] ?? []);
    expect((await importHistory(rollcall.context)).failed).toEqual([]);
  }
  const found = await shownSessions(rollcall.context.store);
  const expected = trees.map((tree) => ({ seed: tree.seed, sessions: shownTruth(tree) }));
  const names = new Set(expected.flatMap(({ sessions }) => Object.keys(sessions)));
  expect(Object.keys(found).filter((name) => !names.has(name))).toEqual([]);
  for (const { seed, sessions } of expected) {
    const shown = Object.fromEntries(Object.keys(sessions).map((name) => [name, found[name]]));
    expect({ seed, sessions: shown }).toEqual({ seed, sessions });
  }
  await expectNoWrites(rollcall);
}

/** A second import of the same files commits nothing. */
async function expectNoWrites({ context }: Rollcall): Promise<void> {
  const observer = new Database(join(context.home, "rollcall.db"), { readonly: true });
  const version = () => observer.pragma("data_version", { simple: true });
  const before = version();
  const { imported, updated } = await importHistory(context);
  const isWritten = version() !== before;
  observer.close();
  expect({ imported, updated, isWritten }).toEqual({ imported: 0, updated: 0, isWritten: false });
}
