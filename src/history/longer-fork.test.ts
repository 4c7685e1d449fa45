import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { openRollcall } from "../record/open.ts";
import { type OpencodeSession, writeOpencode } from "../testing/history/opencode/database.ts";
import { environmentOf, folderOf } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

type Write = (folder: string, upTo: number) => void;

/** Turns and input of each session after an import of each of these states of the disk. */
async function countedAfter(stages: readonly ((folder: string) => void)[]): Promise<unknown> {
  using folder = tempFolder();
  const env = environmentOf(folder.path);
  await using rollcall = await openRollcall({ home: join(folder.path, "home"), cwd: folder.path, env });
  for (const write of stages) {
    write(folder.path);
    expect(await importHistory(rollcall.context)).toMatchObject({ failed: [] });
  }
  expect(await importHistory(rollcall.context)).toMatchObject({ imported: 0, updated: 0 });
  const { items } = await rollcall.context.store.list({ limit: 0 });
  return Object.fromEntries(
    items.map(({ row, ledger }) => [row.nativeId, [row.turns, ledger.sums.tokensInput]]),
  );
}

function writeLines(path: string, lines: readonly JsonObject[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

/** Prompts have odd numbers and times, answers even ones, and as many tokens. */
function claudeRecord(id: number, sessionId: string, more: JsonObject = {}): JsonObject {
  const usage = { input_tokens: id };
  const isAnswer = id % 2 === 0;
  const answer = { id: `msg_${id}`, model: "claude-opus-4-8", content: [], stop_reason: "end_turn", usage };
  return {
    ...(isAnswer ? { type: "assistant", requestId: `req_${id}` } : { type: "user", promptSource: "typed" }),
    ...{ uuid: `uuid-${id}`, parentUuid: id === 1 ? null : `uuid-${id - 1}`, sessionId, cwd: "/work" },
    ...{ timestamp: at(id), message: isAnswer ? answer : { content: `text ${id}` }, ...more },
  };
}

const claudePath = (folder: string, name: string) =>
  join(folderOf(folder, "claude"), "projects", "-work", name);
const claudeOrigin: Write = (folder, upTo) =>
  writeLines(
    claudePath(folder, "z-origin.jsonl"),
    [1, 2, 3, 4, 5, 6].filter((id) => id <= upTo).map((id) => claudeRecord(id, "z-origin")),
  );
const claudeFork: Write = (folder, upTo) =>
  writeLines(
    claudePath(folder, "a-fork.jsonl"),
    [1, 2, 3, 4, 9, 10].filter((id) => id <= upTo).map((id) => claudeRecord(id, "a-fork")),
  );

describe("a fork of Claude Code that has more than its origin when both are read first", () => {
  const whole = { "z-origin": [3, 12], "a-fork": [1, 10] };

  test.each([0, 1, 2, 3, 4])("gives back what the origin holds later, from record %i on", async (upTo) => {
    const stages = [
      (folder: string) => {
        claudeFork(folder, 10);
        if (upTo > 0) claudeOrigin(folder, upTo);
      },
      (folder: string) => claudeOrigin(folder, 6),
    ];
    expect(await countedAfter(stages)).toEqual(whole);
  });

  test("gives it back where the origin comes record by record", async () => {
    const stages = [1, 2, 3, 4, 5, 6].map((upTo) => (folder: string) => {
      if (upTo === 1) claudeFork(folder, 10);
      claudeOrigin(folder, upTo);
    });
    expect(await countedAfter(stages)).toEqual(whole);
  });

  test("keeps what it holds where both grow", async () => {
    const stages = [
      (folder: string) => {
        claudeFork(folder, 4);
        claudeOrigin(folder, 2);
      },
      (folder: string) => {
        claudeFork(folder, 10);
        claudeOrigin(folder, 6);
      },
    ];
    expect(await countedAfter(stages)).toEqual(whole);
  });
});

test("a fork gives back what its origin holds later, though the import of that was stopped", async () => {
  using folder = tempFolder();
  const env = environmentOf(folder.path);
  await using rollcall = await openRollcall({ home: join(folder.path, "home"), cwd: folder.path, env });
  claudeFork(folder.path, 10);
  claudeOrigin(folder.path, 2);
  await importHistory(rollcall.context);
  claudeOrigin(folder.path, 6);
  const stop = new AbortController();
  const stopped = await importHistory(rollcall.context, { signal: stop.signal, tell: () => stop.abort() });
  expect(stopped.isStopped).toBe(true);
  await importHistory(rollcall.context);
  const { items } = await rollcall.context.store.list({ limit: 0 });
  const counted = items.map(({ row, ledger }) => [row.nativeId, [row.turns, ledger.sums.tokensInput]]);
  expect(Object.fromEntries(counted)).toEqual({ "z-origin": [3, 12], "a-fork": [1, 10] });
});

test("an aside of Claude Code gives back answers that its session holds later", async () => {
  const side = { isSidechain: true, agentId: "aside", sessionId: "z-origin", requestId: "req_other" };
  const aside = [1, 2, 3, 4].map((id) => claudeRecord(id, "z-origin", { ...side, uuid: `copy-${id}` }));
  const own = [7, 8].map((id) => claudeRecord(id, "z-origin", side));
  const stages = [
    (folder: string) => {
      claudeOrigin(folder, 2);
      writeLines(claudePath(folder, "z-origin/subagents/agent-aside.jsonl"), [...aside, ...own]);
    },
    (folder: string) => claudeOrigin(folder, 6),
  ];
  expect(await countedAfter(stages)).toEqual({ "z-origin": [3, 12], aside: [1, 8] });
});

const ORIGIN = "01a1e0ce-cf30-7c43-b113-502eea934566";
const FORK = "01a1e0cf-d416-7381-9258-73cc0936dac3";

/** Three lines: a turn, and its request. */
function codexTurn(number: number): JsonObject[] {
  const turn_id = `01a1e0ce-cf4d-7a71-a135-00000000000${number}`;
  const info = {
    total_token_usage: { input_tokens: 10 * number },
    last_token_usage: { input_tokens: number },
  };
  return [
    { type: "event_msg", payload: { type: "task_started", turn_id } },
    { type: "turn_context", payload: { turn_id, model: "gpt-5.4" } },
    { type: "event_msg", payload: { type: "token_count", info } },
  ].map((line) => ({ timestamp: at(number), ...line }));
}

const codexMeta = (id: string, more: JsonObject = {}) => ({
  timestamp: at(0),
  type: "session_meta",
  payload: { id, cwd: "/work", source: "cli", ...more },
});
const writeRollout = (folder: string, id: string, lines: readonly JsonObject[]) =>
  writeLines(
    join(folderOf(folder, "codex"), `sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`),
    lines,
  );
const codexOrigin: Write = (folder, upTo) =>
  writeRollout(folder, ORIGIN, [codexMeta(ORIGIN), ...[1, 2, 3].flatMap(codexTurn)].slice(0, upTo));
const codexFork = (folder: string) =>
  writeRollout(folder, FORK, [codexMeta(FORK, { forked_from_id: ORIGIN }), ...[1, 2, 7].flatMap(codexTurn)]);

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  "a fork of Codex gives back what its origin holds later, from line %i on",
  async (upTo) => {
    const stages = [
      (folder: string) => {
        codexFork(folder);
        if (upTo > 0) codexOrigin(folder, upTo);
      },
      (folder: string) => codexOrigin(folder, 10),
    ];
    expect(await countedAfter(stages)).toEqual({ [ORIGIN]: [3, 6], [FORK]: [1, 7] });
  },
);

test.each([4, 7])(
  "turns of a thread of Codex count where an earlier rollout of it grows behind a reverted one of %i lines",
  async (length) => {
    const reverted = `${ORIGIN}_${FORK}`;
    const lines = [codexMeta(ORIGIN), ...[7, 8].flatMap(codexTurn)];
    const stages = [
      (folder: string) => {
        codexOrigin(folder, 4);
        writeRollout(folder, reverted, lines.slice(0, length));
      },
      (folder: string) => {
        codexOrigin(folder, 10);
        writeRollout(folder, reverted, lines);
      },
    ];
    expect(await countedAfter(stages)).toEqual({ [ORIGIN]: [5, 21] });
  },
);

function opencodeMessage(id: number, session: string): OpencodeSession["messages"][number] {
  const time = { created: 1000 * id, completed: 1000 * id + 1 };
  const tokens = { input: id, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
  const answer = { role: "assistant", modelID: "gpt-5", providerID: "lab", finish: "stop", tokens, time };
  const data = id % 2 === 0 ? answer : { role: "user", time: { created: 1000 * id } };
  return { id: `msg_${session}_${id}`, data, parts: [{ type: "text", text: `text ${id}` }] };
}

test.each([0, 1, 2, 3, 4])(
  "a fork of OpenCode gives back what its origin holds later, from message %i on",
  async (upTo) => {
    const session = (id: string, createdMs: number, messages: readonly number[]): OpencodeSession => ({
      ...{ id, parentId: null, createdMs },
      messages: messages.map((message) => opencodeMessage(message, id)),
    });
    const origin = (until: number) =>
      session(
        "ses_origin",
        500,
        [1, 2, 3, 4, 5, 6].filter((id) => id <= until),
      );
    const fork = session("ses_fork", 6500, [1, 2, 3, 4, 9, 10]);
    const writeBoth = (until: number) => (folder: string) =>
      writeOpencode(join(folder, ".local", "share", "opencode", "opencode.db"), [
        ...(until === 0 ? [] : [origin(until)]),
        fork,
      ]);
    const counted = await countedAfter([writeBoth(upTo), writeBoth(6)]);
    expect(counted).toEqual({ ses_origin: [3, 12], ses_fork: [1, 10] });
  },
);
