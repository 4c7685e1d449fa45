import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser, type User } from "./rollcall.ts";
import { atTerminal } from "./terminal.ts";
import { findTool } from "./tools.ts";

const script = findTool("script", "apt-get install bsdutils");
const HOUR_MS = 3_600_000;

test("cleanup removes what was not active for 24 hours, and --dry-run names exactly that", async () => {
  using user = newUser();
  await withAges(user, { old: 25, older: 100, young: 23 });
  const dry = await user.ok(["cleanup", "--dry-run", "--json"]);
  expect(dry.json).toEqual({ removed: ["old", "older"], dry_run: true });
  expect((await user.ok(["list", "-q"])).stdout).toBe("young\nold\nolder\n");
  const real = await user.ok(["cleanup", "--json"]);
  expect(real.json).toEqual({ removed: dry.json.removed, dry_run: false });
  expect((await user.ok(["list", "-q"])).stdout).toBe("young\n");
  expect((await user.ok(["cleanup", "--json"])).json).toEqual({ removed: [], dry_run: false });
});

test("--hours moves the border, 0 included, and --dry-run prints ids for people", async () => {
  using user = newUser();
  await withAges(user, { a: 1, b: 3 });
  expect((await user.ok(["cleanup", "--hours", "2", "--dry-run"])).stdout).toBe("b\n");
  expect((await user.ok(["cleanup", "--hours", "1.5", "--json"])).json.removed).toEqual(["b"]);
  expect((await user.ok(["cleanup", "--hours", "0", "--json"])).json.removed).toEqual(["a"]);
});

test("what belongs to a session goes with it: its file, its events and what a search found", async () => {
  using user = newUser();
  await using library = await user.library({ now: () => Date.now() - 30 * HOUR_MS });
  await library.create({ id: "old", goal: "findable" });
  const file = join(user.workspace, ".rollcall", "sessions", "old.json");
  expect(existsSync(file)).toBe(true);
  await user.ok(["cleanup"]);
  expect(existsSync(file)).toBe(false);
  expect((await user.ok(["search", "findable", "--json"])).json.hits).toEqual([]);
  expect((await user.ok(["verify", "--json"])).json).toMatchObject({ ok: true, sessions: 0 });
});

test("a session whose process lives stays, however old it is", async () => {
  using user = newUser();
  await using library = await user.library({ now: () => Date.now() - 30 * HOUR_MS });
  await library.create({ id: "living", pid: process.pid });
  expect((await user.ok(["cleanup", "--json"])).json.removed).toEqual([]);
});

test("imported sessions are removed with --imported only", async () => {
  using user = newUser();
  await withAges(user, { ours: 30, theirs: 31 });
  await using library = await user.library({ now: () => Date.now() - 30 * HOUR_MS });
  const created = {
    kind: "created",
    identity: { ...(await library.get("ours")), metadata: {} },
    origin: "imported",
    state: "unknown",
    evidence: { source: "transcript", rule: "import", excerpt: null },
    process: null,
    hasFile: false,
  };
  const at = new Date(Date.now() - 30 * HOUR_MS).toISOString();
  await library.context.store.change("foreign", () => [
    { id: "e1", at, channel: null, body: created as never },
  ]);
  expect((await user.ok(["cleanup", "--imported", "--dry-run", "--json"])).json.removed).toEqual(["foreign"]);
  expect((await user.ok(["cleanup", "--json"])).json.removed).toEqual(["ours", "theirs"]);
  expect((await user.ok(["cleanup", "--imported", "--json"])).json.removed).toEqual(["foreign"]);
});

test.runIf(script).each([
  ["n", "n\r"],
  ["nothing", "\r"],
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])(
  "at a terminal cleanup tells the count and asks; answered with %s it removes nothing",
  async (_what, keys) => {
    using user = newUser();
    await withAges(user, { old: 30, older: 40 });
    const screen = await atTerminal(user, ["cleanup"], { typed: [["Remove 2 sessions? [y/N] ", keys]] });
    expect(screen.code).toBe(1);
    expect(screen.lines.at(-1)).toBe("rollcall: Nothing was removed.");
    expect((await user.ok(["list", "-q"])).stdout).toBe("old\nolder\n");
  },
);

test.runIf(script)(
  "answered with y it removes them, --yes does not ask, and neither does a dry run",
  async () => {
    using user = newUser();
    await withAges(user, { old: 30 });
    const dry = await atTerminal(user, ["cleanup", "--dry-run"]);
    expect(dry.lines).toEqual(["old", "1 session would be removed."]);
    const asked = await atTerminal(user, ["cleanup"], { typed: [["Remove 1 session? [y/N] ", "y\r"]] });
    expect([asked.code, asked.lines.at(-1)]).toEqual([0, "1 session removed."]);
    await withAges(user, { again: 30 });
    const yes = await atTerminal(user, ["cleanup", "--yes"]);
    expect([yes.code, yes.raw.includes("?")]).toEqual([0, false]);
    expect((await user.ok(["list", "-q"])).stdout).toBe("");
  },
);

async function withAges(user: User, hours: Readonly<Record<string, number>>): Promise<void> {
  const lines = Object.entries(hours).map(([id, age]) => ({
    id,
    created_at: "2020-01-01",
    last_active_at: new Date(Date.now() - age * HOUR_MS).toISOString(),
  }));
  await user.upsert(...lines);
}
