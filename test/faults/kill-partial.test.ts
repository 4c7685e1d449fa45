import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { Child } from "./child.ts";
import { type FaultUser, newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

interface Kind {
  /** The file that was being written when its writer was killed, in the state folder. */
  readonly file: string;
  /** The command of the same kind that comes next. */
  readonly next: (user: FaultUser) => readonly string[];
}

const KINDS: readonly (readonly [name: string, kind: Kind])[] = [
  ["backup", { file: "backups/rollcall-20260101-000000-000.db", next: () => ["backup"] }],
  ["restore", { file: "rollcall.db", next: (user) => ["restore", join(user.folder, "kept.db")] }],
  ["config set", { file: "config.json", next: () => ["config", "set", "list.limit", "60"] }],
  ["doctor --fix", { file: "backups/mine.db", next: () => ["doctor", "--fix"] }],
];

test.each(KINDS)(
  "%s removes what a killed one left, and nothing that is being written",
  async (_name, kind) => {
    await using user = newFaultUser();
    await user.ok(["create", "--id", "s", "--no-file"]);
    await user.ok(["backup"]);
    await user.ok(["backup", join(user.folder, "kept.db")]);
    const path = join(user.state, kind.file);
    const dead = await leavePartial(user, path);
    await dead.kill();
    await using living = await leavePartial(user, path);
    expect(partialsIn(dirname(path))).toEqual([...dead.lines, ...living.lines].sort());
    const done = await user.rollcall(kind.next(user));
    expect(done.code, done.stderr).toBe(0);
    expect(partialsIn(dirname(path))).toEqual(living.lines);
  },
);

test("doctor names what a killed command left, and removes nothing without --fix", async () => {
  await using user = newFaultUser();
  await user.ok(["backup"]);
  const dead = await leavePartial(user, join(user.state, "backups", "mine.db"));
  await dead.kill();
  expect((await user.ok(["doctor"])).stdout).toContain(dead.lines[0]);
  expect(existsSync(dead.lines[0] as string)).toBe(true);
});

async function leavePartial(user: FaultUser, path: string): Promise<Child> {
  const writer = new Child("leave-partial.ts", [path], { env: user.env });
  await writer.said(1);
  return writer;
}

function partialsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.includes(".partial-"));
  return names.map((name) => join(folder, name)).sort();
}
