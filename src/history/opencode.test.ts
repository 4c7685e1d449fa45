import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LedgerSum } from "../domain/usage.ts";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { CHOSEN_PRICES } from "../testing/history/cost.ts";
import { changeOpencode, type OpencodeSession, writeOpencode } from "../testing/history/opencode/database.ts";
import { generateOpencode } from "../testing/history/opencode/opencode-tree.ts";
import { IMPORTED_SEEDS, SEEDS, seedsBelow } from "../testing/history/seeds.ts";
import { shownSessions, shownTruth } from "../testing/history/shown.ts";
import { World } from "../testing/history/world.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { archiveOriginals } from "./archive/archive-originals.ts";
import { importHistory } from "./import-history.ts";
import { loadPrices } from "./prices.ts";
import { scanUsage } from "./scan/scan-usage.ts";

const PARTS = 4;

interface Place extends AsyncDisposable {
  readonly rollcall: Rollcall;
  readonly database: string;
}

async function newPlace(): Promise<Place> {
  const folder = tempFolder();
  const home = join(folder.path, "state");
  mkdirSync(home);
  writeFileSync(join(home, "config.json"), JSON.stringify({ prices: CHOSEN_PRICES }));
  const rollcall = await openRollcall({ home, cwd: folder.path, env: { HOME: folder.path } });
  return {
    rollcall,
    database: join(folder.path, ".local", "share", "opencode", "opencode.db"),
    [Symbol.asyncDispose]: async () => {
      await rollcall[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function importInto({ rollcall }: Place) {
  const report = await importHistory(rollcall.context);
  expect(report.failed).toEqual([]);
  return report;
}

describe("generated histories of OpenCode", () => {
  const seeds = (part: number) => seedsBelow(IMPORTED_SEEDS).filter((seed) => seed % PARTS === part);

  test.each(seedsBelow(PARTS))("are counted exactly, session by session: part %i", async (part) => {
    await using place = await newPlace();
    const made = seeds(part).flatMap((seed) => generateOpencode(new World(seed)));
    writeOpencode(
      place.database,
      made.map(({ session }) => session),
    );
    await importInto(place);
    const truth = shownTruth({ sessions: made.map(({ truth }) => truth) });
    expect(await shownSessions(place.rollcall.context.store)).toEqual(truth);
    expect(await importInto(place)).toMatchObject({ imported: 0, updated: 0, bytes: 0 });
  });

  test("are scanned as they are imported", async () => {
    await using place = await newPlace();
    const { context } = place.rollcall;
    const made = seedsBelow(IMPORTED_SEEDS).flatMap((seed) => generateOpencode(new World(seed)));
    writeOpencode(
      place.database,
      made.map(({ session }) => session),
    );
    const { sessions, failed } = await scanUsage(context.env, await loadPrices(context));
    await importInto(place);
    const { items } = await context.store.list({ limit: 0 });
    const imported = items.flatMap(({ row, ledger }) => (ledger.requests > 0 ? [{ ...row, ledger }] : []));
    expect(failed).toEqual([]);
    expect(ledgersOf(sessions)).toEqual(ledgersOf(imported));
  });

  test("are counted exactly when they come session by session, message by message", async () => {
    for (const seed of seedsBelow(Math.ceil(IMPORTED_SEEDS / 20))) {
      await using place = await newPlace();
      const made = generateOpencode(new World(seed));
      for (const [index, { session, truth }] of made.entries()) {
        const { messages } = session;
        const known = made.slice(0, index).map((one) => one.session);
        // The copies of a fork come all at once.
        const half = truth.forkedFrom === null ? Math.floor(messages.length / 2) : messages.length;
        for (const length of [half, messages.length]) {
          writeOpencode(place.database, [...known, { ...session, messages: messages.slice(0, length) }]);
          await importInto(place);
        }
      }
      const truth = shownTruth({ sessions: made.map(({ truth }) => truth) });
      expect({ seed, shown: await shownSessions(place.rollcall.context.store) }).toEqual({
        seed,
        shown: truth,
      });
    }
  });

  test("lay every trap, each of them in several of them", () => {
    const counts = new Map<string, number>();
    for (const seed of seedsBelow(SEEDS)) {
      const world = new World(seed);
      generateOpencode(world);
      for (const trap of world.traps) counts.set(trap, (counts.get(trap) ?? 0) + 1);
    }
    expect([counts.size, [...counts.values()].filter((count) => count < 3)]).toEqual([8, []]);
  });
});

function ledgersOf(
  sessions: readonly { readonly nativeId: string | null; readonly ledger: LedgerSum }[],
): Record<string, LedgerSum> {
  return Object.fromEntries(sessions.map(({ nativeId, ledger }) => [String(nativeId), ledger]));
}

const TOKENS = { input: 100, output: 13, reasoning: 7, cache: { read: 3000, write: 400 } };

function user(at: number, text: string): OpencodeSession["messages"][number] {
  const data = { role: "user", time: { created: at } };
  return { id: `msg_${at}`, data, parts: [{ type: "text", text }] };
}

function answer(at: number, parts: readonly object[]): OpencodeSession["messages"][number] {
  const time = { created: at, completed: at + 1 };
  const more = { modelID: "gpt-5", providerID: "lab", cost: 0.5, finish: "stop" };
  return { id: `msg_${at}`, data: { role: "assistant", time, tokens: TOKENS, ...more }, parts };
}

function brokenOff(at: number): OpencodeSession["messages"][number] {
  const { data, ...message } = answer(at, []);
  return { ...message, data: { ...data, time: { created: at }, tokens: undefined } };
}

const said = (text: string) => ({ type: "text", text, time: { start: 1, end: 2 } });
const ORIGIN: OpencodeSession = {
  id: "ses_origin",
  parentId: null,
  createdMs: 1000,
  messages: [user(1001, "hello"), answer(1002, [said("one")])],
};

async function shown({ rollcall }: Place) {
  return shownSessions(rollcall.context.store);
}

describe("the database of OpenCode", () => {
  test("has the messages of a fork twice, which count once (O1)", async () => {
    await using place = await newPlace();
    const copies = ORIGIN.messages.map((message) => ({ ...message, id: `${message.id}_copy` }));
    const own = [user(3001, "more"), answer(3002, [said("two")])];
    const fork = { ...ORIGIN, id: "ses_fork", createdMs: 3000, messages: [...copies, ...own] };
    writeOpencode(place.database, [fork, ORIGIN]);
    await importInto(place);
    const [input, output] = [100, 20];
    expect(await shown(place)).toMatchObject({
      "opencode ses_fork": { forkedFrom: "opencode ses_origin", turns: 1, requests: 1, input, output },
      "opencode ses_origin": { forkedFrom: null, turns: 1, requests: 1, input, output, reasoning: 7 },
    });
  });

  test("has sub-agents as sessions with a parent (O2)", async () => {
    await using place = await newPlace();
    const messages = [user(2001, "help"), answer(2002, [said("helped")])];
    writeOpencode(place.database, [
      ORIGIN,
      { id: "ses_sub", parentId: ORIGIN.id, createdMs: 2000, messages },
    ]);
    await importInto(place);
    expect((await shown(place))["opencode ses_sub"]).toMatchObject({
      parent: "opencode ses_origin",
      requests: 1,
      cacheRead: 3000,
    });
  });

  test("calls a command that failed completed, and a tool that there is not, too (O3)", async () => {
    await using place = await newPlace();
    const tool = (name: string, metadata: object) => ({
      ...{ type: "tool", tool: name, callID: name },
      state: { status: "completed", input: {}, output: "out", metadata },
    });
    const parts = [tool("bash", { exit: 1 }), tool("invalid", {}), tool("read", { exit: 0 })];
    writeOpencode(place.database, [{ ...ORIGIN, messages: [user(1001, "go"), answer(1002, parts)] }]);
    await importInto(place);
    const { store } = place.rollcall.context;
    const id = (await store.list({ limit: 0 })).items[0]?.row.id ?? "";
    const results = (await store.entries(id, { limit: 100 })).filter(({ kind }) => kind === "tool_result");
    expect(results.map(({ tool }) => [tool?.name, tool?.isError])).toEqual([
      ["bash", true],
      ["invalid", true],
      ["read", undefined],
    ]);
  });

  test("is read again where a row was added or taken back, and nowhere else (O4)", async () => {
    await using place = await newPlace();
    const other = { ...ORIGIN, id: "ses_other", messages: [user(5001, "else"), answer(5002, [said("x")])] };
    const messages = [...ORIGIN.messages, user(6001, "more"), answer(6002, [said("two")])];
    writeOpencode(place.database, [{ ...ORIGIN, messages }, other]);
    expect(await importInto(place)).toMatchObject({ imported: 2 });
    // The newest time stays what it is.
    changeOpencode(place.database, "DELETE FROM part WHERE message_id IN ('msg_1001', 'msg_1002')");
    changeOpencode(place.database, "DELETE FROM message WHERE id IN ('msg_1001', 'msg_1002')");
    expect(await importInto(place)).toMatchObject({ imported: 0, updated: 1, unchanged: 1 });
    expect((await shown(place))["opencode ses_origin"]).toMatchObject({ turns: 1, requests: 1 });
  });

  test("is listed anew by its times, where it was looked at before", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [ORIGIN]);
    utimesSync(place.database, 1000, 1000);
    await importInto(place);
    expect(await importInto(place)).toMatchObject({ found: 1, unchanged: 1 });
    const messages = [user(9001, "else"), answer(9002, [said("x")])];
    writeOpencode(place.database, [ORIGIN, { ...ORIGIN, id: "ses_other", createdMs: 9000, messages }]);
    utimesSync(place.database, 2000, 2000);
    expect(await importInto(place)).toMatchObject({ found: 2, unchanged: 1 });
  });

  test("has no session in a conversation without a message, until there is one", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [{ ...ORIGIN, messages: [] }]);
    expect(await importInto(place)).toMatchObject({ found: 0 });
    writeOpencode(place.database, [ORIGIN]);
    expect(await importInto(place)).toMatchObject({ found: 1, imported: 1 });
  });

  test("is not among the copies of originals", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [ORIGIN]);
    const { context } = place.rollcall;
    expect(await archiveOriginals(context, { roots: {} })).toEqual({ files: 0, bytes: 0, failed: [] });
    expect(existsSync(join(context.home, "originals"))).toBe(false);
  });

  test("waits with an answer that is not complete, and then goes on with it", async () => {
    await using place = await newPlace();
    const whole = answer(1002, [said("one")]);
    writeOpencode(place.database, [{ ...ORIGIN, messages: [user(1001, "hello"), brokenOff(1002)] }]);
    await importInto(place);
    expect((await shown(place))["opencode ses_origin"]).toMatchObject({ requests: 0 });
    writeOpencode(place.database, [{ ...ORIGIN, messages: [user(1001, "hello"), whole] }]);
    expect(await importInto(place)).toMatchObject({ updated: 1, imported: 0 });
    expect((await shown(place))["opencode ses_origin"]).toMatchObject({ turns: 1, requests: 1 });
  });

  test("is read on behind an answer that was broken off, wherever it stands", async () => {
    await using place = await newPlace();
    const count = 205;
    const messages = Array.from({ length: count }, (_, index) => brokenOff(1000 + index));
    writeOpencode(place.database, [{ ...ORIGIN, messages: [...messages, user(5000, "go on")] }]);
    expect(await importInto(place)).toMatchObject({ records: count + 2, entries: 1 });
  });

  test("gets no file beside it, whether OpenCode has left its log there or not", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [ORIGIN]);
    const folder = dirname(place.database);
    expect(readdirSync(folder)).toEqual(["opencode.db"]);
    await importInto(place);
    expect(readdirSync(folder)).toEqual(["opencode.db"]);
    rmSync(place.database);
    expect(existsSync(place.database)).toBe(false);
    expect(await importInto(place)).toMatchObject({ found: 0 });
  });

  test("is read as releases before 1.14 made it, which do not name an agent", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [ORIGIN]);
    changeOpencode(place.database, "ALTER TABLE session DROP COLUMN agent");
    await importInto(place);
    expect(await shown(place)).toMatchObject({ "opencode ses_origin": { turns: 1, requests: 1 } });
    expect(await importInto(place)).toMatchObject({ updated: 0, unchanged: 1 });
  });

  test("that was read once and cannot be read now is told, and keeps what was read", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [ORIGIN]);
    await importInto(place);
    const before = await shown(place);
    changeOpencode(
      place.database,
      "UPDATE session SET time_updated = 9999; ALTER TABLE session DROP COLUMN title",
    );
    const report = await importHistory(place.rollcall.context);
    expect(report.failed).toMatchObject([{ path: expect.stringContaining(place.database) }]);
    expect(await shown(place)).toEqual(before);
  });

  test("that is no database of OpenCode's is told, and stops no other history", async () => {
    await using place = await newPlace();
    mkdirSync(dirname(place.database), { recursive: true });
    writeFileSync(place.database, "no database at all");
    const report = await importHistory(place.rollcall.context);
    expect(report.failed).toMatchObject([{ path: place.database }]);
  });
});
