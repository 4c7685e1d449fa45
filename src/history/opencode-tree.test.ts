import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRollcall } from "../record/open.ts";
import { CHOSEN_PRICES } from "../testing/history/cost.ts";
import { type OpencodeSession, writeOpencode } from "../testing/history/opencode/database.ts";
import { generateOpencode } from "../testing/history/opencode/opencode-tree.ts";
import { writeOpencodeTree } from "../testing/history/opencode/tree.ts";
import { IMPORTED_SEEDS, seedsBelow } from "../testing/history/seeds.ts";
import { shownSessions, shownTruth } from "../testing/history/shown.ts";
import { World } from "../testing/history/world.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";
import { loadPrices } from "./prices.ts";
import { scanUsage } from "./scan/scan-usage.ts";

/** The database is tried on all seeds: here every fourth one is enough. */
const EVERY = 4;

async function newPlace() {
  const folder = tempFolder();
  const home = join(folder.path, "state");
  mkdirSync(home);
  writeFileSync(join(home, "config.json"), JSON.stringify({ prices: CHOSEN_PRICES }));
  const rollcall = await openRollcall({ home, cwd: folder.path, env: { HOME: folder.path } });
  const data = join(folder.path, ".local", "share", "opencode");
  return {
    data,
    database: join(data, "opencode.db"),
    context: rollcall.context,
    path: (name: string) => join(data, "storage", name),
    shown: () => shownSessions(rollcall.context.store),
    async import() {
      const report = await importHistory(rollcall.context);
      expect(report.failed).toEqual([]);
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      await rollcall[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const TOKENS = { input: 100, output: 13, reasoning: 7, cache: { read: 3000, write: 400 } };
const user = (at: number, text: string) => ({
  id: `msg_${at}`,
  data: { role: "user", time: { created: at } },
  parts: [{ type: "text", text }],
});
const answer = (at: number, text: string) => ({
  id: `msg_${at}`,
  data: {
    ...{ role: "assistant", time: { created: at, completed: at + 1 }, tokens: TOKENS },
    ...{ modelID: "gpt-5", providerID: "lab", cost: 0.5, finish: "stop" },
  },
  parts: [{ type: "text", text, time: { start: 1, end: 2 } }],
});
const ONE: OpencodeSession = {
  id: "ses_one",
  parentId: null,
  createdMs: 1000,
  messages: [user(1001, "hello"), answer(1002, "one")],
};
const LONGER = { ...ONE, messages: [...ONE.messages, user(2001, "more"), answer(2002, "two")] };
const LEFT = { ...ONE, id: "ses_left", createdMs: 7000, messages: [user(7001, "left"), answer(7002, "x")] };

describe("the tree of files that OpenCode kept before its database", () => {
  test("is counted exactly, session by session, before and after OpenCode takes it into its database", async () => {
    await using place = await newPlace();
    const seeds = seedsBelow(IMPORTED_SEEDS).filter((seed) => seed % EVERY === 0);
    const made = seeds.flatMap((seed) => generateOpencode(new World(seed)));
    const sessions = made.map(({ session }) => session);
    writeOpencodeTree(place.data, sessions);
    await place.import();
    const truth = shownTruth({ sessions: made.map(({ truth }) => truth) });
    expect(await place.shown()).toEqual(truth);
    writeOpencode(place.database, sessions);
    // A fork that only repeats its origin so far is read anew, for there may be more copies by now.
    const onlyCopies = made.filter(({ truth }) => truth.forkedFrom !== null && truth.isEmpty).length;
    expect(await place.import()).toMatchObject({ imported: 0, updated: onlyCopies });
    expect(await place.shown()).toEqual(truth);
  });

  test("is not read again while nothing changes", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [ONE]);
    expect(await place.import()).toMatchObject({ found: 1, imported: 1 });
    for (const folder of ["session/global", "message/ses_one"])
      for (const name of readdirSync(place.path(folder))) utimesSync(join(place.path(folder), name), 9, 9);
    utimesSync(place.path("message/ses_one"), 9, 9);
    await place.import();
    expect(await place.import()).toMatchObject({ found: 1, unchanged: 1, bytes: 0 });
  });

  test("goes on in the database with what was said since", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [ONE]);
    await place.import();
    writeOpencode(place.database, [LONGER]);
    expect(await place.import()).toMatchObject({ found: 1, imported: 0, updated: 1 });
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { turns: 2, requests: 2, input: 200 } });
  });

  test("goes on in the database of another channel", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [ONE]);
    await place.import();
    writeOpencode(join(place.data, "opencode-beta.db"), [LONGER]);
    expect(await place.import()).toMatchObject({ found: 1, imported: 0, updated: 1 });
    const visible = ["hello", "more"];
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { turns: 2, requests: 2, visible } });
    expect(await place.import()).toMatchObject({ found: 1, imported: 0, updated: 0 });
  });

  test("counts only for sessions that are in no database", async () => {
    await using place = await newPlace();
    writeOpencode(place.database, [LONGER]);
    writeOpencodeTree(place.data, [ONE, LEFT]);
    expect(await place.import()).toMatchObject({ found: 2, imported: 2 });
    expect(Object.keys(await place.shown()).sort()).toEqual(["opencode ses_left", "opencode ses_one"]);
  });

  test("waits with a message that is half written, and goes on with it", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [ONE]);
    writeFileSync(place.path("message/ses_one/msg_1002.json"), '{"id": "msg_1002", "role"');
    await place.import();
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { requests: 0 } });
    writeOpencodeTree(place.data, [LONGER]);
    expect(await place.import()).toMatchObject({ imported: 0, updated: 1 });
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { turns: 2, requests: 2 } });
  });

  test("is not held up by what is no file of a message, and follows no link", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [ONE]);
    execFileSync("mkfifo", [place.path("message/ses_one/msg_1500.json")]);
    mkdirSync(place.path("message/ses_one/msg_1600.json"));
    symlinkSync(place.path("message/ses_one/msg_1002.json"), place.path("message/ses_one/msg_1700.json"));
    rmSync(place.path("part/msg_1001"), { recursive: true });
    symlinkSync(place.path("part/msg_1002"), place.path("part/msg_1001"));
    await place.import();
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { turns: 0, requests: 1 } });
  });

  test("is scanned as it is imported", async () => {
    await using place = await newPlace();
    writeOpencodeTree(place.data, [LONGER]);
    const { context } = place;
    const { sessions, failed } = await scanUsage(context.env, await loadPrices(context));
    expect(failed).toEqual([]);
    expect(sessions).toMatchObject([{ nativeId: "ses_one", ledger: { requests: 2 } }]);
  });
});

test("a conversation in the databases of two channels is read where it was gone on with last", async () => {
  await using place = await newPlace();
  const goneOn = (at: number) => [...ONE.messages, user(at, "more"), answer(at + 1, "two")];
  for (const [name, messages] of [
    ["opencode.db", ONE.messages],
    ["opencode-beta.db", goneOn(6001)],
    ["opencode.db", goneOn(8001)],
  ] as const) {
    writeOpencode(join(place.data, name), [{ ...ONE, messages }]);
    expect(await place.import()).toMatchObject({ found: 1 });
    const [turns, visible] = messages.length === 2 ? [1, ["hello"]] : [2, ["hello", "more"]];
    expect(await place.shown()).toMatchObject({ "opencode ses_one": { turns, requests: turns, visible } });
  }
  expect(await place.import()).toMatchObject({ imported: 0, updated: 0 });
});
