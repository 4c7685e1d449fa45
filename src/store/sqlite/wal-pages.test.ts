import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { medianOf, walPagesOf } from "../../testing/wal-pages.ts";

const SESSIONS = 200;
const TIMES = 21;

test("a new record, an update and an entry write no more pages than the tables and indexes that they need", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const path = join(world.home, "rollcall.db");
  for (let n = 0; n < SESSIONS; n++) await rollcall.create({ id: `s-${n}`, file: false });
  const create = await walPagesOf(path, TIMES, () => rollcall.create({ file: false }));
  const update = await walPagesOf(path, TIMES, (n) => rollcall.update(`s-${n}`, { phase: "planning" }));
  const entry = { role: "user", kind: "text", text: "some words", tool: null } as const;
  const add = await walPagesOf(path, TIMES, (n) => rollcall.addEntry(`s-${n}`, entry));
  // A table and eight indexes, now and then with a page that is split; of a running session none by its state.
  expect(medianOf(create)).toBeLessThanOrEqual(13);
  expect([update, add].map(medianOf)).toEqual([7, 11]);
});
