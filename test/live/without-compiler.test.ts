import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, run } from "../cli/rollcall.ts";
import { newLiveUser } from "./user.ts";

const SOURCES = ["bin", "native", "scripts", "src", "package.json", "tsconfig.json", "tsconfig.types.json"];

test("built without a C compiler, live sessions say what to install, and everything else works", async () => {
  await using user = newLiveUser();
  const copy = join(user.folder, "copy");
  for (const name of SOURCES) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const env = { ...user.env, CC: join(copy, "no-such-compiler") };
  const built = await run(process.execPath, [join(copy, "scripts", "build.ts")], { env, cwd: copy });
  expect([built.code, built.stderr]).toEqual([
    0,
    expect.stringMatching(/^Live sessions will not work: [^\n]*build-essential[^\n]*\n$/),
  ]);
  expect(existsSync(join(copy, "dist", "native", "rollcall-holder"))).toBe(false);

  const call = async (...args: string[]) =>
    run(process.execPath, [join(copy, "bin", "rollcall.cjs"), ...args], { env, cwd: user.workspace });
  const id = (await call("create", "--name", "by-hand")).stdout.trim();
  for (const args of [["get", id], ["update", id, "--phase", "planning"], ["list"], ["up"], ["status"], []])
    expect([args, (await call(...args)).code]).toEqual([args, 0]);
  for (const verb of [
    ["start", "-d", "--", "true"],
    ["start", "scripted", "say hi", "--wait"],
  ]) {
    const refused = await call(...verb);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^rollcall: [^\n]*holder[^\n]*build-essential[^\n]*\n$/);
  }
  expect((await call("doctor")).stdout).toMatch(/holder[^\n]*build-essential|build-essential[^\n]*holder/);
  expect((await call("list", "-q")).stdout).toBe(`${id}\n`);
  expect((await call("down")).code).toBe(0);
});
