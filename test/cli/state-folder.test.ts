import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser, type User } from "./rollcall.ts";

const NOBODY = 65534;
const CALLS = [
  ["list", "--json"],
  ["up", "--json"],
  ["start", "-d", "--json", "--", "true"],
  ["config", "set", "list.limit", "7", "--json"],
  ["hooks", "install", "claude", "--json"],
  ["restore", "backup.db", "--json"],
];

test.each([0o777, 0o770, 0o1777, 0o702])(
  "a state folder of mode %o is refused by every command",
  async (mode) => {
    using user = newUser();
    mkdirSync(user.state);
    writeConfig(user);
    chmodSync(user.state, mode);
    await allRefused(user, "store_exposed", `Other users can write to ${user.state}.`);
  },
);

test("settings that others can write to are refused where they can reach them", async () => {
  using user = newUser();
  mkdirSync(user.state);
  const path = writeConfig(user);
  chmodSync(path, 0o666);
  chmodSync(user.state, 0o755);
  await allRefused(user, "store_exposed", `Other users can write to ${path}.`);
  chmodSync(user.state, 0o700);
  await user.ok(["list", "--json"]);
});

test.skipIf(process.getuid?.() !== 0)("settings of another user are refused (run as root)", async () => {
  using user = newUser();
  mkdirSync(user.state, { mode: 0o700 });
  const path = writeConfig(user);
  chownSync(path, NOBODY, NOBODY);
  await allRefused(user, "store_wrong_owner", `${path} belongs to another user`);
});

test("doctor --fix closes a state folder that others can write to", async () => {
  using user = newUser();
  mkdirSync(user.state);
  chmodSync(user.state, 0o777);
  const { stdout } = await user.rollcall(["doctor"]);
  expect(stdout).toContain(`Others can`);
  await user.rollcall(["doctor", "--fix"]);
  await user.ok(["list", "--json"]);
});

function writeConfig(user: User): string {
  const path = join(user.state, "config.json");
  writeFileSync(path, JSON.stringify({ notify: { command: `touch ${user.folder}/ran` } }));
  return path;
}

async function allRefused(user: User, code: string, message: string): Promise<void> {
  for (const args of CALLS) {
    const answer = await user.rollcall(args);
    expect(answer).toMatchObject({ code: 1, stdout: "", error: { code } });
    expect(answer.error.message).toContain(message);
  }
  expect(existsSync(join(user.folder, "ran"))).toBe(false);
  expect(existsSync(join(user.state, "run"))).toBe(false);
}
