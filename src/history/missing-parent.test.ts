import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { environmentOf, folderOf } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

const PARENT = "01a1e0ce-cf30-7c43-b113-502eea934566";
const CHILD = "01a1e0cf-d416-7381-9258-73cc0936dac3";
const FIRST_TURN = "01a1e0ce-cf4d-7a71-a135-4eb24b0d0a34";
const OWN_TURN = "01a1e0cf-d43c-7e40-a817-50d7e359b975";
const OTHER_TURN = "01a1e0cf-d43c-7e40-a817-000000000000";
const PARENT_AT = "2026-11-15T20:03:32.000Z";
const CHILD_AT = "2026-11-15T20:04:39.000Z";

const meta = (id: string, more: JsonObject = {}) => ({
  type: "session_meta",
  payload: { id, cwd: "/project", cli_version: "0.60.0", source: "cli", ...more },
});
const turn = (turn_id: string) => ({ type: "turn_context", payload: { turn_id, model: "gpt-5.4" } });
const counted = (total: number, last: number) => ({
  type: "event_msg",
  payload: {
    type: "token_count",
    info: { total_token_usage: { input_tokens: total }, last_token_usage: { input_tokens: last } },
  },
});

function writeRollout(folder: string, id: string, timestamp: string, lines: readonly JsonObject[]): void {
  const day = join(folderOf(folder, "codex"), "sessions", "2026", "11", "15");
  mkdirSync(day, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join("");
  writeFileSync(join(day, `rollout-2026-11-15T20-03-32-${id}.jsonl`), text);
}

async function tokensBy(rollcall: Rollcall): Promise<Record<string, number | null>> {
  const { items } = await rollcall.context.store.list({ limit: 0 });
  return Object.fromEntries(items.map(({ row, ledger }) => [row.nativeId, ledger.sums.tokensInput]));
}

function openIn(folder: string): Promise<Rollcall> {
  return openRollcall({ home: join(folder, "home"), cwd: folder, env: environmentOf(folder) });
}

test("a fork whose parent is not on disk keeps what it copied, until the parent comes (rule C2)", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  // The copy has the time of the fork, so that no clock tells it from what is the fork's own.
  writeRollout(folder.path, CHILD, CHILD_AT, [
    ...[meta(CHILD, { forked_from_id: PARENT }), meta(PARENT)],
    ...[turn(FIRST_TURN), counted(100, 100), turn(OWN_TURN), counted(150, 50)],
  ]);
  await importHistory(rollcall.context);
  expect(await tokensBy(rollcall)).toEqual({ [CHILD]: 150 });
  writeRollout(folder.path, PARENT, PARENT_AT, [meta(PARENT), turn(FIRST_TURN), counted(100, 100)]);
  await importHistory(rollcall.context);
  expect(await tokensBy(rollcall)).toEqual({ [PARENT]: 100, [CHILD]: 50 });
});

test("a session of codex exec is counted by its rollout, for nobody reads what it prints (rule C5)", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const records = [counted(100, 100), counted(100, 100), counted(150, 50)];
  writeRollout(folder.path, CHILD, CHILD_AT, [meta(CHILD, { source: "exec" }), turn(OWN_TURN), ...records]);
  await importHistory(rollcall.context);
  const { items } = await rollcall.context.store.list({ limit: 0 });
  expect(items.map(({ row, ledger }) => [row.kind, ledger.requests, ledger.sums.tokensInput])).toEqual([
    ["autonomous", 2, 150],
  ]);
});

test("two sessions of a release without names of turns are two, though their first requests used alike", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  writeRollout(folder.path, PARENT, PARENT_AT, [meta(PARENT), counted(100, 100), counted(300, 200)]);
  writeRollout(folder.path, CHILD, CHILD_AT, [meta(CHILD), counted(100, 100), counted(350, 250)]);
  await importHistory(rollcall.context);
  expect(await tokensBy(rollcall)).toEqual({ [PARENT]: 300, [CHILD]: 350 });
});

test("a helper keeps none of its numbered copies, with its parent or without (rule C4)", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const head = { parent_thread_id: PARENT, subagent_history_start_ordinal: 5 };
  const numbered = (ordinal: number, line: JsonObject) => ({ ...line, ordinal });
  writeRollout(folder.path, CHILD, CHILD_AT, [
    ...[meta(CHILD, head), numbered(3, turn(FIRST_TURN)), numbered(4, counted(100, 100))],
    ...[numbered(5, turn(OWN_TURN)), numbered(6, counted(150, 50))],
  ]);
  await importHistory(rollcall.context);
  expect(await tokensBy(rollcall)).toEqual({ [CHILD]: 50 });
  writeRollout(folder.path, PARENT, PARENT_AT, [meta(PARENT), turn(OTHER_TURN), counted(900, 900)]);
  await importHistory(rollcall.context);
  expect(await tokensBy(rollcall)).toEqual({ [PARENT]: 900, [CHILD]: 50 });
});
