import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { usageOfLedger } from "../domain/usage.ts";
import { openRollcall } from "../record/open.ts";
import { environmentOf, folderOf } from "../testing/history/write-tree.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";
import { loadPrices } from "./prices.ts";
import { scanUsage } from "./scan/scan-usage.ts";

const THREAD = "01a1e0ce-cf30-7c43-b113-502eea934566";
const FORK = "01a1e0d0-d416-7381-9258-73cc0936dac3";
const FIRST_REVERT = `${THREAD}_01a1e0cf-0000-7000-8000-000000000001`;
const SECOND_REVERT = `${THREAD}_01a1e0cf-0000-7000-8000-000000000002`;

/** The first line of a rollout, and how each of its numbered lines begins. */
const meta = (id: string, more: JsonObject = {}) => ({
  type: "session_meta",
  payload: { id, cwd: "/project", cli_version: "0.166.0", source: "cli", history_mode: "paginated", ...more },
});
const goesOnFrom = (thread_id: string, end_ordinal_exclusive: number) => ({
  history_base: { thread_id, end_ordinal_exclusive },
});

/** Six lines: a turn with one request. The counters are told in all, and not those of the request alone. */
const turn = (number: number, total: number): JsonObject[] => {
  const turn_id = `01a1e0ce-cf4d-7a71-a135-00000000000${number}`;
  const event = (type: string, more: JsonObject) => ({ type: "event_msg", payload: { type, ...more } });
  const info = { total_token_usage: { input_tokens: total, output_tokens: total / 10 } };
  const item = { type: "UserMessage", content: [{ type: "text", text: `text ${number}` }] };
  return [
    ...[event("task_started", { turn_id }), { type: "turn_context", payload: { turn_id, model: "gpt-5.4" } }],
    ...[event("item_completed", { item }), event("token_count", { info }), event("token_count", { info })],
    event("task_complete", { turn_id }),
  ];
};

async function newPlace() {
  const folder = tempFolder();
  const env = environmentOf(folder.path);
  const rollcall = await openRollcall({ home: join(folder.path, "home"), cwd: folder.path, env });
  const day = join(folderOf(folder.path, "codex"), "sessions", "2026", "01", "01");
  mkdirSync(day, { recursive: true });
  const { context } = rollcall;
  return {
    /** Numbers the lines from `first` on. */
    write(name: string, first: number, lines: readonly JsonObject[]) {
      const text = lines.map((line, index) => {
        const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, first + index)).toISOString();
        return `${JSON.stringify({ timestamp, ordinal: first + index, ...line })}\n`;
      });
      writeFileSync(
        join(day, `rollout-2026-01-01T00-00-${String(first).padStart(2, "0")}-${name}.jsonl`),
        text.join(""),
      );
    },
    async import() {
      expect(await importHistory(context)).toMatchObject({ failed: [] });
    },
    /** Requests, input and output of each session. */
    async counted() {
      const { items } = await context.store.list({ limit: 0 });
      const shown = items.map(({ row, ledger: { requests, sums } }) => [
        row.nativeId,
        [requests, sums.tokensInput, sums.tokensOutput],
      ]);
      return Object.fromEntries(shown);
    },
    async scanned() {
      const { sessions } = await scanUsage(env, await loadPrices(context));
      return Object.fromEntries(
        sessions.map(({ nativeId, ledger: { requests, sums } }) => [
          nativeId,
          [requests, sums.tokensInput, sums.tokensOutput],
        ]),
      );
    },
    context,
    [Symbol.asyncDispose]: async () => {
      await rollcall[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Two turns, of 100 and 200 tokens. */
const ORIGIN = [meta(THREAD), ...turn(1, 100), ...turn(2, 300)];
const BEFORE_TURN_2 = 7;

describe("a rollout of Codex whose totals go on from a place in another", () => {
  test("counts of a reverted thread what came after the place that it was reverted to (rule C4)", async () => {
    await using place = await newPlace();
    place.write(THREAD, 0, ORIGIN);
    const base = goesOnFrom(THREAD, BEFORE_TURN_2);
    place.write(FIRST_REVERT, BEFORE_TURN_2, [meta(THREAD, base), ...turn(3, 150)]);
    await place.import();
    expect(await place.counted()).toEqual({ [THREAD]: [3, 100 + 200 + 50, 35] });
    expect(await place.scanned()).toEqual(await place.counted());
  });

  test("counts the same where the reverted rollout is read before the one that it goes on from", async () => {
    await using place = await newPlace();
    const base = goesOnFrom(THREAD, BEFORE_TURN_2);
    place.write(FIRST_REVERT, BEFORE_TURN_2, [meta(THREAD, base), ...turn(3, 150)]);
    await place.import();
    place.write(THREAD, 0, ORIGIN.slice(0, 3));
    await place.import();
    place.write(THREAD, 0, ORIGIN);
    await place.import();
    expect(await place.counted()).toEqual({ [THREAD]: [3, 100 + 200 + 50, 35] });
  });

  test("counts a request of unknown size where the place is on no disk", async () => {
    await using place = await newPlace();
    const base = goesOnFrom(THREAD, BEFORE_TURN_2);
    const lines = [meta(FORK, { forked_from_id: THREAD, ...base }), ...turn(3, 150), ...turn(4, 190)];
    place.write(FORK, BEFORE_TURN_2, lines);
    await place.import();
    const { items } = await place.context.store.list({ limit: 0 });
    const [ledger] = items.map((item) => item.ledger);
    expect(ledger).toMatchObject({ requests: 2, sums: { tokensInput: 40, tokensOutput: 4 } });
    expect(ledger && usageOfLedger(ledger, 2).partial).toBe(true);
    expect(await place.scanned()).toEqual({ [FORK]: [2, 40, 4] });
  });

  test("counts of a fork what came after the place that it began at, also in a reverted rollout", async () => {
    await using place = await newPlace();
    place.write(THREAD, 0, ORIGIN);
    const first = [meta(THREAD, goesOnFrom(THREAD, BEFORE_TURN_2)), ...turn(3, 150)];
    place.write(FIRST_REVERT, BEFORE_TURN_2, first);
    const [, rollout = ""] = FIRST_REVERT.split("_");
    const base = { forked_from_id: THREAD, ...goesOnFrom(rollout, BEFORE_TURN_2 + first.length) };
    place.write(FORK, BEFORE_TURN_2 + first.length, [meta(FORK, base), ...turn(4, 160)]);
    await place.import();
    expect(await place.counted()).toEqual({ [THREAD]: [3, 350, 35], [FORK]: [1, 10, 1] });
    expect(await place.scanned()).toEqual(await place.counted());
  });

  test("shows what is left of a thread that was reverted twice", async () => {
    await using place = await newPlace();
    place.write(THREAD, 0, ORIGIN);
    const first = [meta(THREAD, goesOnFrom(THREAD, BEFORE_TURN_2)), ...turn(3, 150), ...turn(4, 160)];
    place.write(FIRST_REVERT, BEFORE_TURN_2, first);
    const [, rollout = ""] = FIRST_REVERT.split("_");
    // Behind the first of its turns.
    const second = BEFORE_TURN_2 + BEFORE_TURN_2;
    place.write(SECOND_REVERT, second, [meta(THREAD, goesOnFrom(rollout, second)), ...turn(5, 170)]);
    await place.import();
    const { items } = await place.context.store.list({ limit: 0 });
    const entries = await place.context.store.entries(items[0]?.row.id ?? "");
    expect(entries.map(({ text }) => text)).toEqual(["text 1", "text 3", "text 5"]);
    expect(items[0]?.row.turns).toBe(5);
    expect(await place.counted()).toEqual({ [THREAD]: [5, 100 + 200 + 50 + 10 + 20, 38] });
  });
});
