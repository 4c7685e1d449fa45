import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLiveUser } from "../live/user.ts";
import { type Answer, newUser, type User } from "./rollcall.ts";

/** By the name of its variable, and by shape alone. */
const SECRETS = {
  value: "correct-horse-battery-staple",
  github: `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"}`,
  anthropic: `sk-ant-api03-${"x7Yz_9Ab-".repeat(10)}AA`,
  aws: "AKIAIOSFODNN7EXAMPLE",
};
const env = { DEPLOY_TOKEN: SECRETS.value };
const all = Object.values(SECRETS).join(" and ");

type Watched = Pick<User, "folder" | "rollcall">;

/** A user whose every call is watched: what it printed must hold none of the secrets. */
async function call(user: Watched, args: readonly string[], input = ""): Promise<Answer> {
  const given = await user.rollcall(args, { env, input });
  expect(leaksOf(given.stdout + given.stderr), `rollcall ${args.join(" ")}`).toEqual([]);
  return given;
}

function leaksOf(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([kind, secret]) => (text.includes(secret) ? [kind] : []));
}

test("a secret in any field of a record is found in no answer, no file, no export and no backup", async () => {
  await using user = newLiveUser();
  const flags = ["--agent", "--role", "--model", "--purpose", "--goal", "--chain", "--task"];
  const identity = flags.flatMap((flag) => [flag, `${flag} ${all}`]);
  const metadata = JSON.stringify({ key: all, [all]: [{ deep: all }] });
  const id = (await call(user, ["create", "--id", "s1", ...identity, "--name", SECRETS.value])).stdout.trim();
  const update = ["--metadata", metadata, "--error", all, "--name", SECRETS.aws, "--phase", "approval"];
  await call(user, ["update", id, ...update, "--json"]);
  await call(
    user,
    ["upsert"],
    JSON.stringify({ id: "s2", name: all, goal: all, metadata: { a: all }, model: all }),
  );
  await using library = await user.library({ env });
  await library.addEntry(id, { role: "user", kind: "text", text: `findable ${all}`, tool: null });
  const tool = { name: "sh", params: { cmd: all }, result: { out: all } };
  await library.addEntry(id, { role: "assistant", kind: "tool_call", text: null, tool });
  const looks = [
    "get s1",
    "get s1 --json",
    "list",
    "list --json",
    "",
    "--json",
    "events",
    "events --json",
    "search findable",
  ];
  for (const words of [
    ...looks,
    "search findable --json",
    "stats --by purpose",
    "stats --by model --json",
    "export s1",
  ])
    await call(user, words.split(" ").filter(Boolean));
  await call(user, ["export", "s1", "--format", "md"]);
  await call(user, ["export", "s1", "-o", "out.json"]);
  await call(user, ["backup"]);
  await call(user, ["finalize", id, "completed", "--summary", all, "--json"]);
  expect(filesWithLeaks(user)).toEqual([]);
  expect((await call(user, ["get", "s1", "--json"])).stdout).toContain("[REDACTED:");
});

test("a secret that a hook is given is neither answered, nor counted, nor kept", async () => {
  using user = newUser();
  const input = { agent_name: all, task_id: all, task_description: all, metadata: { a: all }, summary: all };
  await call(user, ["create", "--id", "s1"]);
  await call(user, ["hook", "pre-delegate"], JSON.stringify(input));
  await call(user, ["hook", "pre-delegate"], JSON.stringify({ ...input, agent_id: "s1" }));
  await call(user, ["hook", "pre-delegate"], JSON.stringify({ ...input, agent_id: SECRETS.value }));
  await call(user, ["hook", "subagent-stop"], JSON.stringify({ ...input, agent_id: "s1" }));
  await call(user, ["hook", "subagent-stop"], JSON.stringify({ agent_id: SECRETS.value }));
  expect(filesWithLeaks(user)).toEqual([]);
});

test("a word that is refused is not echoed when it holds a secret", async () => {
  using user = newUser();
  const refused = [
    ["get", SECRETS.value],
    ["get", SECRETS.github, "--json"],
    ["should-resume", SECRETS.value, "--json"],
    ["update", "nobody", "--phase", SECRETS.value],
    ["list", "--state", SECRETS.value, "--json"],
    ["list", "--since", SECRETS.aws],
    ["create", "--kind", SECRETS.github],
    ["rm", SECRETS.value, SECRETS.github, "--json"],
    ["list", `--${SECRETS.value}`],
    [SECRETS.value],
    ["config", "set", "list.limit", SECRETS.value],
  ];
  for (const args of refused) expect((await call(user, args)).code, args.join(" ")).toBeGreaterThan(0);
});

test("a secret is refused as an id before any file is touched, since an id cannot be redacted", async () => {
  using user = newUser();
  for (const secret of [SECRETS.value, SECRETS.aws])
    expect((await call(user, ["create", "--id", secret])).code).toBe(2);
  expect((await call(user, ["upsert"], JSON.stringify({ id: SECRETS.value }))).code).toBe(2);
  expect(filesWithLeaks(user)).toEqual([]);
});

test("values of variables that the configuration names are secret too", async () => {
  using user = newUser();
  await user.ok(["config", "set", "redact.env", "HARMLESS_NAME"]);
  const given = await user.ok(["create", "--goal", "say opensesame-123 now", "--json"], {
    env: { HARMLESS_NAME: "opensesame-123" },
  });
  expect(given.json.goal).toBe("say [REDACTED:value] now");
});

test("what was stored before its value was known as a secret is not shown once it is", async () => {
  using user = newUser();
  await user.create("--id", "s1", "--no-file", "--goal", SECRETS.value);
  for (const args of [
    ["get", "s1"],
    ["get", "s1", "--json"],
    ["list", "--json"],
    ["events", "--json"],
    ["export", "s1"],
  ])
    await call(user, args);
});

/** Files and names below the user's folders, state folder included, that hold a secret. */
function filesWithLeaks(user: Watched): string[] {
  const names = readdirSync(user.folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => {
    const path = join(user.folder, name);
    const text = statSync(path).isFile() ? readFileSync(path, "latin1") : "";
    return leaksOf(name + text).length > 0;
  });
}
