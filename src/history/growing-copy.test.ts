import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { openRollcall } from "../record/open.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

const USER = { type: "user", promptSource: "typed" };

/** Prompts and answers of one conversation, a second apart. */
function conversation(sessionId: string, ids: readonly number[]): JsonObject[] {
  return ids.map((id) => ({
    ...(id % 2 === 0 ? { type: "assistant" } : USER),
    ...{ uuid: `uuid-${id}`, parentUuid: id === 1 ? null : `uuid-${id - 1}`, sessionId, cwd: "/work" },
    timestamp: new Date(Date.UTC(2026, 0, 1) + id * 1000).toISOString(),
    message:
      id % 2 === 0
        ? {
            ...{ id: `msg_${id}`, model: "claude-opus-4-8", stop_reason: "end_turn" },
            ...{ content: [{ type: "text", text: `answer ${id}` }], usage: { input_tokens: id } },
          }
        : { content: `text ${id}` },
  }));
}

function writerIn(folder: string) {
  return (name: string, records: readonly JsonObject[]) =>
    writeFileSync(
      join(folder, `${name}.jsonl`),
      records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    );
}

test("a fork that is imported before all of its copies are written counts none of them as its own", async () => {
  using folder = tempFolder();
  await using rollcall = await openRollcall({
    ...{ home: join(folder.path, "home"), cwd: folder.path, env: { HOME: folder.path } },
  });
  const write = writerIn(folder.path);
  const title = { type: "ai-title", title: "never copied" };
  const [first, ...others] = conversation("origin", [1, 2, 3, 4, 5, 6]);
  write("origin", [first as JsonObject, title, ...others]);
  write("fork", conversation("fork", [1, 2, 3]));
  await importHistory(rollcall.context, { path: folder.path });
  write("fork", conversation("fork", [1, 2, 3, 4, 5, 6, 17, 18]));
  await importHistory(rollcall.context, { path: folder.path });
  const { items } = await rollcall.context.store.list({ limit: 0 });
  const counted = items.map(({ row, ledger }) => [row.nativeId, row.turn?.number, ledger.sums.tokensInput]);
  expect(Object.fromEntries(counted.map(([id, ...counts]) => [id, counts]))).toEqual({
    ...{ origin: [3, 12], fork: [1, 18] },
  });
  const fork = items.find(({ row }) => row.nativeId === "fork");
  const entries = await rollcall.context.store.entries(fork?.row.id ?? "");
  expect(entries.map(({ text }) => text)).toEqual(["text 17", "answer 18"]);
});

test("a fork that is imported before its first copy is written counts none of them as its own", async () => {
  using folder = tempFolder();
  await using rollcall = await openRollcall({
    ...{ home: join(folder.path, "home"), cwd: folder.path, env: { HOME: folder.path } },
  });
  const write = writerIn(folder.path);
  const mode = { type: "mode", mode: "normal", cwd: "/work", sessionId: "fork" };
  write("origin", conversation("origin", [1, 2, 3, 4]));
  write("fork", [mode]);
  await importHistory(rollcall.context, { path: folder.path });
  write("fork", [mode, ...conversation("fork", [1, 2, 3, 4, 17, 18])]);
  await importHistory(rollcall.context, { path: folder.path });
  const { items } = await rollcall.context.store.list({ limit: 0 });
  const counted = items.map(({ row, ledger }) => [row.nativeId, [row.turn?.number, ledger.sums.tokensInput]]);
  expect(Object.fromEntries(counted)).toEqual({ origin: [2, 6], fork: [1, 18] });
});
