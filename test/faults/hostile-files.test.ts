import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { atPrompt, turn } from "../live/scripted.ts";
import { until } from "../live/user.ts";
import { newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

test("a fifo in the place of a project's settings does not hold up the daemon", async () => {
  await using user = newFaultUser();
  const elsewhere = { cwd: user.folder };
  const script = "mkfifo .rollcall.json; sleep 500";
  const { id } = await user.start(["--", "sh", "-c", script]);
  const fifo = join(user.workspace, ".rollcall.json");
  await until(() => existsSync(fifo), "the fifo");
  await user.ok(["explain", id], elsewhere);
  await user.ok(["status"], elsewhere);
  const refused = await user.rollcall(["start", "-d", "--json", "--", "true"]);
  expect(refused).toMatchObject({ code: 2, stdout: "", error: { code: "bad_config" } });
  expect(refused.error.message).toBe(`${fifo} is not a regular file.`);
  await user.ok(["end", id, "--grace", "500ms"], elsewhere);
  rmSync(fifo);
});

test("settings of a project that never end, or are huge, are refused in one sentence", async () => {
  await using user = newFaultUser();
  const path = join(user.workspace, ".rollcall.json");
  symlinkSync("/dev/zero", path);
  expect((await user.rollcall(["create", "--json"])).error.message).toBe(`${path} is not a regular file.`);
  rmSync(path);
  writeFileSync(path, "");
  truncateSync(path, 2 ** 40);
  expect((await user.rollcall(["create", "--json"])).error.message).toBe(`${path} is larger than 1 MiB.`);
  rmSync(path);
});

const UNFIT: readonly [string, (path: string) => void][] = [
  ["a fifo", (path) => void execFileSync("mkfifo", [path])],
  ["a link to /dev/zero", (path) => symlinkSync("/dev/zero", path)],
  ["broken JSON", (path) => writeFileSync(path, "{")],
];

test.each(UNFIT)(
  "%s for a project's settings locks nobody out of the sessions in its folder",
  async (_, put) => {
    await using user = newFaultUser();
    const { id } = await user.start(["--", "sleep", "500"]);
    const other = await user.start(["--", "sleep", "500"]);
    const path = join(user.workspace, ".rollcall.json");
    put(path);
    const calls = [["list"], ["get", id], ["explain", id], ["data", id], ["pause", id], ["continue", id]];
    for (const call of [...calls, [], ["interrupt", other.id], ["end", id, "--grace", "500ms"]]) {
      const { code, stderr } = await user.rollcall(call);
      expect(code, `${call.join(" ")}: ${stderr}`).toBe(0);
      expect(stderr.split(path), call.join(" ")).toHaveLength(2);
      expect(stderr).toContain("Only your own settings count here.");
    }
    for (const call of [
      ["start", "-d", "--json", "--", "true"],
      ["create", "--json"],
    ])
      expect(await user.rollcall(call)).toMatchObject({ code: 2, stdout: "", error: { code: "bad_config" } });
    rmSync(path);
    expect(await user.get(id)).toMatchObject({ state: "stopped" });
  },
);

test("fifos in the place of git's files leave branch and commit unknown", async () => {
  await using user = newFaultUser();
  const git = join(user.workspace, ".git");
  mkdirSync(git);
  execFileSync("mkfifo", [join(git, "HEAD")]);
  const first = await user.start(["--", "sleep", "500"]);
  expect(first).toMatchObject({ git_branch: null, git_commit: null });
  rmSync(join(git, "HEAD"));
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  execFileSync("mkfifo", [join(git, "packed-refs")]);
  expect(await user.start(["--", "sleep", "500"])).toMatchObject({ git_branch: "main", git_commit: null });
});

test("an agent that links the folder of record files has the daemon write nothing elsewhere", async () => {
  await using user = newFaultUser();
  const outside = join(user.folder, "outside");
  mkdirSync(outside);
  const script = `rm -r .rollcall/sessions; ln -s ${outside} .rollcall/sessions; while :; do echo on; sleep 0.05; done`;
  const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", script]);
  const link = join(user.workspace, ".rollcall", "sessions");
  await until(() => lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true, "the link");
  await user.ok(["end", id, "--grace", "500ms"]);
  await user.ok(["down"]);
  expect(readdirSync(outside)).toEqual([]);
});

test("a fifo in the place of a transcript is a transcript that is lost, and the session goes on", async () => {
  await using user = newFaultUser();
  const id = await atPrompt(user);
  await turn(user, id, "say one");
  const { native_id } = await user.get(id);
  const transcript = join(user.state, "scripted", "sessions", `${String(native_id)}.jsonl`);
  rmSync(transcript);
  execFileSync("mkfifo", [transcript]);
  expect((await user.ok(["data", id, "--json"])).json).toMatchObject({ observability: "transcript_lost" });
  await user.ok(["status"]);
  rmSync(transcript);
});
