import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { objectOf } from "../agents/json-lines.ts";
import type { JsonObject } from "../domain/json.ts";
import type { LedgerSum } from "../domain/usage.ts";
import { openRollcall } from "../record/open.ts";
import { environmentOf, folderOf } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";
import { scanUsage } from "./scan/scan-usage.ts";

/** Lines of files by their path below the folder of the agent. */
type Files = Readonly<Record<string, readonly JsonObject[]>>;
/** Requests, input and output of each session by its native id. */
type Counted = Record<string, readonly [requests: number, input: number, output: number]>;

async function counted(agent: "claude" | "codex", files: Files): Promise<Counted> {
  using folder = tempFolder();
  for (const [name, lines] of Object.entries(files)) {
    const path = join(folderOf(folder.path, agent), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  const env = environmentOf(folder.path);
  await using rollcall = await openRollcall({ home: join(folder.path, "home"), cwd: folder.path, env });
  expect(await importHistory(rollcall.context)).toMatchObject({ failed: [] });
  const { items } = await rollcall.context.store.list({ limit: 0 });
  const imported = countsOf(items.map(({ row, ledger }) => ({ nativeId: row.nativeId, ledger })));
  // A scan names no session that made no request.
  const { sessions } = await scanUsage(env, (request) => request);
  const used = Object.entries(imported).filter(([, [requests]]) => requests > 0);
  expect(countsOf(sessions)).toEqual(Object.fromEntries(used));
  return imported;
}

function countsOf(
  sessions: readonly { readonly nativeId: string | null; readonly ledger: LedgerSum }[],
): Counted {
  return Object.fromEntries(
    sessions.map(({ nativeId, ledger: { requests, sums } }) => [
      nativeId,
      [requests, sums.tokensInput, sums.tokensOutput],
    ]),
  );
}

/** A block of an answer of Claude Code, `second` seconds into the conversation. */
function block(second: number, message: string | null, output: number, more: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 100, output_tokens: output };
  return {
    ...{ type: "assistant", uuid: `uuid-${second}`, parentUuid: null, isSidechain: false, cwd: "/work" },
    timestamp: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
    message: { ...(message === null ? {} : { id: message }), model: "claude-opus-4-5", content: [], usage },
    ...(message === null ? {} : { requestId: `req-${message}` }),
    ...more,
  };
}

const inProject = (name: string) => `projects/-work/${name}.jsonl`;

describe("the usage of Claude Code", () => {
  test("counts one streamed answer with the greatest of its outputs (rule D1)", async () => {
    const one = [block(1, "m1", 5), block(2, "m1", 631), block(3, "m1", 20)];
    expect(await counted("claude", { [inProject("one")]: one })).toEqual({ one: [1, 100, 631] });
  });

  test("counts an answer that does not say what it used as a request that was not measured", async () => {
    const { message, ...line } = block(2, "m2", 0);
    const silent = { ...line, message: { ...objectOf(message), usage: null } };
    const bare = { ...line, uuid: "uuid-3", message: { id: "m3", model: "claude-opus-4-5", content: [] } };
    expect(await counted("claude", { [inProject("one")]: [block(1, "m1", 5), silent, bare] })).toEqual({
      one: [3, 100, 5],
    });
  });

  test("counts what a fork repeats for the session that went on first (rule D2)", async () => {
    const fork = [block(1, "m1", 5), block(2, "m2", 6), block(9, "m3", 7)];
    const origin = [block(1, "m1", 5), block(2, "m2", 6), block(4, "m4", 8)];
    expect(await counted("claude", { [inProject("a-fork")]: fork, [inProject("origin")]: origin })).toEqual({
      "a-fork": [1, 100, 7],
      origin: [3, 300, 19],
    });
  });

  test("drops what an aside repeats, also where its file is read first (rule D3)", async () => {
    const side = { isSidechain: true, agentId: "aside", sessionId: "z", requestId: "req-other" };
    const aside = [block(1, "m1", 50, { ...side, uuid: "copy" }), block(7, "m7", 9, side)];
    expect(
      await counted("claude", { [inProject("agent-aside")]: aside, [inProject("z")]: [block(1, "m1", 5)] }),
    ).toEqual({ aside: [1, 100, 9], z: [1, 100, 5] });
  });

  test("counts sub-agents at any depth as sessions of their own (rule D4)", async () => {
    const side = { isSidechain: true, agentId: "a1", sessionId: "z" };
    const files = {
      [inProject("z")]: [block(1, "m1", 5)],
      [inProject("z/subagents/workflows/wf/agent-a1")]: [block(2, "m2", 7, side)],
    };
    expect(await counted("claude", files)).toEqual({ z: [1, 100, 5], a1: [1, 100, 7] });
  });

  test("knows answers without an id by that of the request, and without either by the line (rule D5)", async () => {
    const bare = (second: number) => block(second, null, 5);
    const one = [
      ...[bare(1), bare(2), block(3, null, 5, { requestId: "r" }), block(4, null, 9, { requestId: "r" })],
      ...[block(5, "m5", 5, { requestId: null }), block(6, "m5", 8, { requestId: null })],
    ];
    expect(await counted("claude", { [inProject("one")]: one })).toEqual({ one: [4, 400, 5 + 5 + 9 + 8] });
  });
});

const THREADS = ["01a1e0ce-cf30-7c43-b113-502eea934566", "01a1e0cf-d416-7381-9258-73cc0936dac3"] as const;
const [PARENT, CHILD] = THREADS;
const TURNS = ["01a1e0ce-cf4d-7a71-a135-4eb24b0d0a34", "01a1e0cf-d43c-7e40-a817-50d7e359b975"] as const;

const line = (type: string, payload: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ timestamp: "2026-01-01T00:00:00.000Z", type, payload: { ...payload } },
  ...more,
});
const meta = (id: string, more: JsonObject = {}) => line("session_meta", { id, cwd: "/work", ...more });
const turn = (index: 0 | 1) => line("turn_context", { turn_id: TURNS[index], model: "gpt-5.4" });
const used = (input: number, output: number) => ({ input_tokens: input, output_tokens: output });
const counts = (total: JsonObject, last?: JsonObject, more: JsonObject = {}) =>
  line(
    "event_msg",
    { type: "token_count", info: { total_token_usage: total, ...(last && { last_token_usage: last }) } },
    more,
  );
const rollout = (id: string) => `sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`;

describe("the usage of Codex", () => {
  test("counts no counter again that was only written again, and goes by its rise without a last one (rule C1)", async () => {
    const lines = [
      ...[meta(PARENT), turn(0), counts(used(10, 1), used(10, 1)), counts(used(10, 1), used(10, 1))],
      ...[counts(used(30, 3)), counts(used(5, 1))],
    ];
    expect(await counted("codex", { [rollout(PARENT)]: lines })).toEqual({ [PARENT]: [3, 35, 4] });
  });

  test("drops the turns of its parent that a child repeats (rule C2)", async () => {
    const origin = [meta(PARENT), turn(0), counts(used(10, 1), used(10, 1))];
    const child = [
      ...[meta(CHILD, { parent_thread_id: PARENT }), ...origin, turn(1), counts(used(17, 3), used(7, 2))],
    ];
    expect(await counted("codex", { [rollout(CHILD)]: child, [rollout(PARENT)]: origin })).toEqual({
      [PARENT]: [1, 10, 1],
      [CHILD]: [1, 7, 2],
    });
  });

  test("counts no total that a fork goes on from (rule C3)", async () => {
    const fork = [meta(CHILD, { forked_from_id: PARENT }), counts(used(500, 60), used(0, 0)), turn(1)];
    const files = { [rollout(CHILD)]: [...fork, counts(used(507, 62), used(7, 2))] };
    expect(await counted("codex", files)).toEqual({ [CHILD]: [1, 7, 2] });
  });

  test("counts of a child that only refers to its parent what has a number of its own (rule C4)", async () => {
    const head = { parent_thread_id: PARENT, subagent_history_start_ordinal: 9 };
    const child = [
      ...[meta(CHILD, head), counts(used(10, 1), used(10, 1), { ordinal: 8 })],
      ...[turn(1), counts(used(17, 3), used(7, 2), { ordinal: 11 })],
    ];
    expect(await counted("codex", { [rollout(CHILD)]: child })).toEqual({ [CHILD]: [1, 7, 2] });
  });

  test("keeps what was rolled back, and needs no total_tokens (rule C6)", async () => {
    const back = line("event_msg", { type: "thread_rolled_back", num_turns: 1 });
    const lines = [meta(PARENT), turn(0), counts(used(10, 1), used(10, 1)), back];
    expect(await counted("codex", { [rollout(PARENT)]: lines })).toEqual({ [PARENT]: [1, 10, 1] });
  });
});
