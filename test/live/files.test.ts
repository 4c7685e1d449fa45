import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, ROOT, run } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

const page = readFileSync(join(ROOT, "docs", "files.md"), "utf8");
const blocks = [...page.matchAll(/^```bash\n(.*?)^```/gms)].map(([, code]) => code as string);

/** The paths of the table under a heading, as patterns. */
function patternsOf(heading: string): RegExp[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  const cells = section.split("\n").flatMap((line) => (line.startsWith("| `") ? [line.split(" | ")[0]] : []));
  const paths = cells.flatMap((cell) =>
    [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, path]) => path as string),
  );
  return paths.map((path) => {
    const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return new RegExp(`^${escaped.replaceAll(/<\w+>/g, "[^/]+").replaceAll("…", ".*")}$`);
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory(),
  );
}

/** Files that no row of the table names. */
function unnamed(folder: string, heading: string): string[] {
  const patterns = patternsOf(heading);
  return filesBelow(folder).filter((name) => !patterns.some((pattern) => pattern.test(name)));
}

const git = (user: LiveUser, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
    cwd: user.workspace,
    env: user.env,
  });

test("docs/files.md names every file that sessions leave, and its commands remove all of them", async () => {
  await using user = newLiveUser();
  git(user, "init", "-q");
  git(user, "commit", "-q", "--allow-empty", "-m", "first");
  const id = await atPrompt(user, "--name", "one");
  await turn(user, id, "say hi");
  await user.start(["--kind", "autonomous", "--", "sleep", "1000"]);
  await user.start(["--worktree", "side", "--", "sleep", "1000"]);
  await user.create();
  await user.ok(["config", "set", "list.limit", "20"]);
  await user.ok(["backup"]);
  await user.ok(["hooks", "install", "claude"]);
  expect(unnamed(user.state, "In the state folder")).toEqual([]);
  await user.ok(["down", "--end-all", "--grace", "500ms"]);
  expect(unnamed(user.state, "In the state folder")).toEqual([]);
  writeFileSync(join(user.state, "planted"), "");
  expect(unnamed(user.state, "In the state folder")).toEqual(["planted"]);
  const isOurs = (name: string) => !name.startsWith(".git/");
  expect(unnamed(user.workspace, "In a project").filter(isOurs)).toEqual([]);

  const bin = join(user.folder, "bin");
  mkdirSync(bin);
  const command = `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`;
  writeFileSync(join(bin, "rollcall"), command, { mode: 0o755 });
  const env = { ...user.env, PATH: `${bin}:${user.env.PATH}` };
  for (const block of blocks)
    expect(await run("bash", ["-euc", block], { env, cwd: user.workspace })).toMatchObject({ code: 0 });
  expect(readdirSync(user.folder)).not.toContain("state");
  expect(filesBelow(user.workspace).filter(isOurs)).toEqual([]);
  const left = filesBelow(join(user.folder, "home")).filter((name) => !/\.claude\/settings\.json/.test(name));
  expect([left, filesBelow(join(user.folder, "tmp"))]).toEqual([[], []]);
});
