import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const SECRET = "hunter2-hunter2-hunter2";

/** Everything in the state folder and the workspace but the running launches, which hold what the agent itself has. */
function placesWith(user: LiveUser, text: string): string[] {
  return [user.state, user.workspace].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => !path.includes("/run/sessions/") && statSync(path).isFile())
      .filter((path) => readFileSync(path).includes(text)),
  );
}

test.each(["interactive", "autonomous"])(
  "a secret of the environment that an %s command prints reaches nothing that is kept or shown",
  async (kind) => {
    await using user = newLiveUser();
    const script = 'while read line; do printf "key: %s\\n" "$MY_API_KEY"; done';
    const { id } = await user.start(["--kind", kind, "--", "sh", "-c", script], {
      env: { MY_API_KEY: SECRET },
    });
    const shown = async () => {
      const answers = await Promise.all([
        user.ok(["data", id, "--json"]),
        user.ok(["logs", id]),
        user.ok(["events", id, "--json"]),
        user.ok(["explain", id, "--json"]),
        user.ok(["get", id, "--json"]),
      ]);
      return answers.map(({ stdout }) => stdout).join("\n");
    };
    const timesShown = async () => ((await user.ok(["logs", id])).stdout.match(/key: /g) ?? []).length;
    await user.ok(["send", id, "one"]);
    await until(async () => (await timesShown()) === 1, "the first line");
    expect(await shown()).not.toContain(SECRET);
    await user.killDaemon();
    await user.ok(["send", id, "two"]);
    await until(async () => (await timesShown()) === 2, "the second line");
    expect(await shown()).not.toContain(SECRET);
    expect(placesWith(user, SECRET)).toEqual([]);
    await user.ok(["end", id]);
    expect(await shown()).not.toContain(SECRET);
    expect(placesWith(user, SECRET)).toEqual([]);
    expect(user.launchFolders()).toEqual([]);
  },
);

test("a secret of the environment that stands in the call itself is not kept", async () => {
  await using user = newLiveUser();
  const options = [
    "--goal",
    `use ${SECRET}`,
    "--metadata",
    JSON.stringify({ key: SECRET }),
    "--name",
    "curl",
  ];
  const command = ["sh", "-c", `echo "${SECRET}" | wc -c; sleep 1000`];
  await user.start([...options, "--", ...command], { env: { MY_API_KEY: SECRET } });
  await until(async () => (await user.ok(["logs", "curl"])).stdout.includes("24"), "the count");
  for (const args of [
    ["get", "curl", "--json"],
    ["events", "curl", "--json"],
    ["list", "--json"],
  ])
    expect((await user.ok(args)).stdout).not.toContain(SECRET);
  expect(placesWith(user, SECRET)).toEqual([]);
});

test("of the environment only the names are kept", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--env", "SOME_NAME=some-plain-value", "--", "sleep", "1000"]);
  const { stdout } = await user.ok(["events", id, "--json"]);
  expect(stdout).toContain("SOME_NAME");
  expect(stdout).not.toContain("some-plain-value");
  expect(placesWith(user, "some-plain-value")).toEqual([]);
});

test("a private key is hidden however slowly it is printed", async () => {
  await using user = newLiveUser();
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  const lines = ["-----BEGIN PRIVATE KEY-----", body, body, "-----END PRIVATE KEY-----", "after"];
  const script = lines.map((line) => `echo '${line}'; sleep 0.15`).join("; ");
  const answer = await user.ok(["start", "--wait", "--", "sh", "-c", script]);
  expect(answer.stdout).toContain("after");
  expect(answer.stdout).not.toContain("MIIEvQIBADANBg");
  expect(placesWith(user, "MIIEvQIBADANBg")).toEqual([]);
});

const NAMES = [
  ...["PGPASSWORD", "SSHPASS", "OPENAI_KEY", "AZURE_OPENAI_KEY", "DD_APP_KEY", "STRIPE_KEY", "CLIENTSECRET"],
  ...["SECRETKEY", "ACCESSTOKEN", "COOKIE", "SESSION_COOKIE", "WEBHOOK_URL"],
];

test.each(["interactive", "autonomous"])(
  "no secret of an %s session is kept under any usual name, and common words stay readable",
  async (kind) => {
    await using user = newLiveUser();
    const planted = NAMES.map((name, n) => [
      name,
      `${name === "WEBHOOK_URL" ? "https://h.org/" : ""}pl4nted-${n}-x9k2m`,
    ]);
    const env = { ...Object.fromEntries(planted), DB_PASSWORD: "postgres" } as Record<string, string>;
    const script = `${NAMES.map((name) => `echo "it is $${name}."`).join("; ")}; echo "in $DB_PASSWORD"`;
    const { id } = await user.start(["--kind", kind, "--", "sh", "-c", script], { env });
    await user.reach(id, "stopped");
    const { stdout } = await user.ok(["logs", id]);
    expect(stdout).toContain("in postgres");
    expect(stdout).not.toContain("pl4nted");
    await user.ok(["export", id, "-o", join(user.workspace, "export.json")]);
    await user.ok(["backup"]);
    expect(placesWith(user, "pl4nted")).toEqual([]);
  },
);
