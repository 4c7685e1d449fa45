import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { environmentOf, folderOf } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

const THREAD = "01a1e0ce-cf30-7c43-b113-502eea934566";
const REVERTED = `${THREAD}_01a1e0cf-d416-7381-9258-73cc0936dac3`;

/** A turn of Codex with one request, of so many tokens. */
function codexTurn(number: number, tokens: number): JsonObject[] {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString();
  const turn_id = `01a1e0ce-cf4d-7a71-a135-00000000000${number}`;
  const usage = { input_tokens: tokens };
  return [
    { type: "event_msg", payload: { type: "task_started", turn_id } },
    { type: "turn_context", payload: { turn_id, model: "gpt-5.4" } },
    { type: "token_usage_record", payload: { response_id: `resp_${number}`, usage } },
    { type: "event_msg", payload: { type: "task_complete", turn_id } },
  ].map((line) => ({ timestamp, ...line }));
}

const META = {
  timestamp: "2026-01-01T00:00:00.000Z",
  type: "session_meta",
  payload: { id: THREAD, cwd: "/project", cli_version: "0.150.0", source: "cli" },
};

/** A prompt of Claude Code, its answer in two blocks around the result of a tool, and so on. */
function claudeRecords(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => {
    const isPrompt = index % 4 === 0;
    const isResult = index % 4 === 2;
    const call = `call-${Math.floor(index / 4)}`;
    const content = isPrompt
      ? `text ${index}`
      : isResult
        ? [{ type: "tool_result", tool_use_id: call, content: "fine" }]
        : index % 4 === 1
          ? [{ type: "tool_use", id: call, name: "Bash", input: {} }]
          : [{ type: "text", text: `answer ${index}` }];
    const message =
      isPrompt || isResult
        ? { role: "user", content }
        : {
            ...{ id: `msg_${index}`, model: "claude-opus-4-8", content, usage: { input_tokens: 1 } },
            stop_reason: index % 4 === 1 ? "tool_use" : "end_turn",
          };
    return {
      ...(isPrompt || isResult ? { type: "user" } : { type: "assistant" }),
      ...(isPrompt ? { promptSource: "typed" } : {}),
      ...{ uuid: `uuid-${index}`, parentUuid: index === 0 ? null : `uuid-${index - 1}` },
      ...{ sessionId: "one", cwd: "/work", message },
      timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    };
  });
}

const textOf = (lines: readonly JsonObject[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function openIn(folder: string): Promise<Rollcall> {
  return openRollcall({ home: join(folder, "home"), cwd: folder, env: environmentOf(folder) });
}

async function counted({ context }: Rollcall): Promise<unknown> {
  const { items } = await context.store.list({ limit: 0 });
  const sums = items.map(({ row, ledger }) => [row.nativeId, [row.turn?.number, ledger.sums.tokensInput]]);
  return Object.fromEntries(sums);
}

function rolloutIn(folder: string, name: string): string {
  const day = join(folderOf(folder, "codex"), "sessions", "2026", "01", "01");
  mkdirSync(day, { recursive: true });
  return join(day, `rollout-2026-01-01T00-00-00-${name}.jsonl`);
}

test("a session of two files is read again whole when one of them was replaced", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const [first, second] = [rolloutIn(folder.path, THREAD), rolloutIn(folder.path, REVERTED)];
  writeFileSync(first, textOf([META, ...codexTurn(1, 10)]));
  writeFileSync(second, textOf([META, ...codexTurn(2, 200)]));
  await importHistory(rollcall.context);
  expect(await counted(rollcall)).toEqual({ [THREAD]: [2, 210] });
  writeFileSync(first, textOf([META, ...codexTurn(3, 3000)]));
  expect(await importHistory(rollcall.context)).toMatchObject({ failed: [] });
  expect(await counted(rollcall)).toEqual({ [THREAD]: [2, 3200] });
});

test("a session of two files is read again whole when one was replaced and the other has grown", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const [first, second] = [rolloutIn(folder.path, THREAD), rolloutIn(folder.path, REVERTED)];
  writeFileSync(first, textOf([META, ...codexTurn(1, 10)]));
  writeFileSync(second, textOf([META, ...codexTurn(2, 200)]));
  await importHistory(rollcall.context);
  writeFileSync(second, textOf([META, ...codexTurn(3, 3000)]));
  appendFileSync(first, textOf(codexTurn(4, 40_000)));
  expect(await importHistory(rollcall.context)).toMatchObject({ failed: [] });
  expect(await counted(rollcall)).toEqual({ [THREAD]: [3, 43_010] });
});

test("a transcript that lies in two folders counts the turn once in whose middle one of them ends", async () => {
  using folder = tempFolder();
  await using rollcall = await openIn(folder.path);
  const projects = join(folderOf(folder.path, "claude"), "projects");
  for (const [project, count] of [
    ["-work", 12],
    ["-moved", 7],
  ] as const) {
    mkdirSync(join(projects, project), { recursive: true });
    writeFileSync(join(projects, project, "one.jsonl"), textOf(claudeRecords(count)));
  }
  await importHistory(rollcall.context);
  expect(await counted(rollcall)).toEqual({ one: [3, 6] });
});
