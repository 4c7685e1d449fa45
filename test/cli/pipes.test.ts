import { afterAll, beforeAll, expect, test } from "vitest";
import { LAUNCHER, newUser, run, type User } from "./rollcall.ts";
import { quoted } from "./terminal.ts";

const MANY = 5000;
let user: User;

beforeAll(async () => {
  user = newUser();
  await user.upsert(...Array.from({ length: MANY }, (_, number) => ({ id: `s${number}`, goal: "a goal" })));
});

afterAll(() => user[Symbol.dispose]());

test("a list of 5,000 sessions is one valid JSON object with each of them once", async () => {
  const { json } = await user.ok(["list", "--json"]);
  expect(new Set(json.sessions.map(({ id }) => id)).size).toBe(MANY);
  expect([json.sessions.length, json.next_cursor]).toEqual([MANY, null]);
});

test("ids and rows of a long list are all there in a pipe", async () => {
  for (const args of [["list", "-q"], ["list"], ["events", "--json"]])
    expect((await user.ok(args)).stdout.trimEnd().split("\n"), args.join(" ")).toHaveLength(MANY);
});

test.each([["list --json"], ["list"], ["list -q"], ["events --json"], ["events"]])(
  "%s ends quietly when its reader stops early",
  async (words) => {
    const call = [process.execPath, LAUNCHER, ...words.split(" ")].map(quoted).join(" ");
    const program = `${call} | head -c 10; echo " \${PIPESTATUS[0]}"`;
    const given = await run("bash", ["-c", program], { env: user.env, cwd: user.workspace });
    expect(given.stderr).toBe("");
    expect(given.stdout).toMatch(/ 0\n$/);
  },
);

test("a failure keeps its exit code where nobody reads what it says", async () => {
  const call = [process.execPath, LAUNCHER, "get", "nobody"].map(quoted).join(" ");
  const program = `exec 3>&1; { ${call} 2>&1 >/dev/null; echo $? >&3; } | true`;
  const given = await run("bash", ["-c", program], { env: user.env, cwd: user.workspace });
  expect(given.stdout).toBe("3\n");
});

test("an answer that could not be written is a failure", async () => {
  const call = [process.execPath, LAUNCHER, "list", "--json"].map(quoted).join(" ");
  const given = await run("bash", ["-c", `${call} > /dev/full`], { env: user.env, cwd: user.workspace });
  expect(given.code).toBe(1);
  expect(given.stderr).toMatch(/^\{"error":.*ENOSPC.*\}\n$/);
});
