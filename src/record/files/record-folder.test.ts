import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempWorld, type World } from "../../testing/temp-rollcall.ts";

/** A folder outside the workspace, which nobody may write to for an agent. */
function outside(world: World): string {
  const path = join(world.workspace, "..", "outside");
  mkdirSync(path);
  return path;
}

const own = (world: World, ...names: string[]) => join(world.workspace, ".rollcall", ...names);

describe("the folder of record files", () => {
  test.each([[[]], [["sessions"]]])("that is a link (%j) is not followed", async (names) => {
    using world = tempWorld();
    const target = outside(world);
    if (names.length > 0) mkdirSync(own(world));
    symlinkSync(target, own(world, ...names));
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.update("s", { phase: "planning" });
    expect(readdirSync(target)).toEqual([]);
    expect(world.warnings).toEqual([
      expect.stringContaining(`${own(world, ...names)} is a link or no folder`),
    ]);
  });

  test("that becomes a link is neither written nor cleaned through", async () => {
    using world = tempWorld();
    const target = outside(world);
    await using rollcall = await world.open();
    await rollcall.create({ id: "package" });
    writeFileSync(join(target, "package.json"), "theirs");
    renameSync(own(world, "sessions"), own(world, "before"));
    symlinkSync(target, own(world, "sessions"));
    await rollcall.update("package", { phase: "planning" });
    await rollcall.delete("package");
    expect(readFileSync(join(target, "package.json"), "utf8")).toBe("theirs");
    expect(world.warnings).toHaveLength(1);
  });

  test("is not used where its ignore file is a link, also one that leads nowhere", async () => {
    using world = tempWorld();
    const target = join(outside(world), "made");
    mkdirSync(own(world));
    symlinkSync(target, own(world, ".gitignore"));
    await using rollcall = await world.open();
    await rollcall.create();
    expect(existsSync(target)).toBe(false);
    expect(world.warnings).toEqual([expect.stringContaining(".gitignore is not a regular file")]);
  });

  // Git takes a blank before a pattern, and any but a space behind it, for a part of the pattern.
  const UNFIT = ["!*\n", "*\n!sessions/\n", "mine\n", " *\n", "\t*\n", "*\t\n", "*\v\n", "\u00a0*\n"];
  test.each(UNFIT)("is not used with the ignore file %j", async (text) => {
    using world = tempWorld();
    mkdirSync(own(world));
    writeFileSync(own(world, ".gitignore"), text);
    await using rollcall = await world.open();
    await rollcall.create();
    expect([readdirSync(own(world)), readFileSync(own(world, ".gitignore"), "utf8")]).toEqual([
      [".gitignore"],
      text,
    ]);
    expect(world.warnings).toEqual([expect.stringContaining(".gitignore does not ignore everything")]);
  });

  test.each(["*\n", "\ufeff*  \n", "# ours\r\n*\r\n!.gitignore\r\n", ""])(
    "is used with the ignore file %j, and git takes no record",
    async (text) => {
      using world = tempWorld();
      const git = (...args: string[]) =>
        execFileSync("git", args, {
          cwd: world.workspace,
          encoding: "utf8",
          env: { PATH: process.env.PATH },
        });
      rmSync(join(world.workspace, ".git"), { recursive: true, force: true });
      git("init", "-q");
      mkdirSync(own(world, "sessions"), { recursive: true });
      writeFileSync(own(world, ".gitignore"), text);
      writeFileSync(own(world, "sessions", ".gitignore"), "!*\n");
      await using rollcall = await world.open();
      await rollcall.create({ id: "s" });
      expect([existsSync(world.filePath("s")), world.warnings]).toEqual([true, []]);
      git("add", "-A");
      expect(git("ls-files")).not.toContain("sessions");
    },
  );
});
