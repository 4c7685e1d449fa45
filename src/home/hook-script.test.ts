import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { hookPlaces, placeHookScript } from "./hook-script.ts";

const MARKER = "0123456789abcdef0123456789abcdef";

interface Place extends Disposable {
  readonly script: string;
  readonly hooks: string;
  /** What was left, by the name of its file. */
  left(): Record<string, string>;
}

function newPlace(): Place {
  const folder = tempFolder();
  const { script, spool: hooks } = hookPlaces(folder.path);
  expect(placeHookScript(folder.path)).toBe(script);
  const left = () =>
    Object.fromEntries(readdirSync(hooks).map((name) => [name, readFileSync(join(hooks, name), "utf8")]));
  return { script, hooks, left, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("the script is put in place whole, for the user alone, as often as one likes", () => {
  using place = newPlace();
  writeFileSync(place.script, "broken");
  placeHookScript(dirname(dirname(place.script)));
  expect(statSync(place.script).mode & 0o777).toBe(0o700);
  expect(statSync(place.hooks).mode & 0o777).toBe(0o700);
  expect(readFileSync(place.script, "utf8")).toMatch(/^#!\/bin\/sh\n/);
  expect(readdirSync(dirname(place.script)).sort()).toEqual(["hook.sh", "hooks"]);
});

/** By their path, for the script is also tried without a PATH. */
const SHELLS = [["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"]].flatMap(([program, ...flags]) => {
  const { stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" });
  return stdout === "" ? [] : [[stdout.trim(), ...flags]];
});

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("the script under %s", (_, shell) => {
  const [program, ...flags] = shell as [string, ...string[]];

  async function call(
    place: Place,
    args: readonly string[],
    { env = {}, input = "{}" }: { readonly env?: Record<string, string>; readonly input?: string } = {},
  ): Promise<string> {
    const child = spawn(program, [...flags, place.script, ...args], {
      env: { PATH: process.env.PATH ?? "", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: place.hooks, ...env },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => (said += data.toString()));
    const broken = once(child.stdin, "error").then(([error]) => (said += `${error}`));
    child.stdin.end(input);
    const [code] = await Promise.race([once(child, "close"), broken]);
    return code === 0 ? said : `${said} exit ${code}`;
  }

  test("leaves the event with its payload, for the user alone", async () => {
    using place = newPlace();
    expect(await call(place, ["turn_end"], { input: '{"turn":"good"}' })).toBe("");
    const [name = ""] = Object.keys(place.left());
    expect(name).toMatch(new RegExp(`^${MARKER}\\.\\d{19}\\.\\d+\\.turn_end$`));
    expect(place.left()).toEqual({ [name]: '{"turn":"good"}' });
    expect(statSync(join(place.hooks, name)).mode & 0o777).toBe(0o600);
  });

  const HOSTILE = [
    "../../x",
    "a b",
    "$(touch x)",
    "`id`",
    ";rm -rf /",
    "*",
    "é",
    "a\nb",
    "x".repeat(65),
    "..",
    "a/b",
    "-n.",
  ];

  test.each(HOSTILE)("takes nothing of an event named %j, and the agent does not notice", async (event) => {
    using place = newPlace();
    expect(await call(place, [event], { input: "x".repeat(1_000_000) })).toBe("");
    expect(place.left()).toEqual({});
  });

  const BAD_ENV: readonly (readonly [string, Record<string, string>])[] = [
    ["nothing of Rollcall", { ROLLCALL_SESSION: "", ROLLCALL_HOOKS: "" }],
    ["no session", { ROLLCALL_SESSION: "" }],
    ["no folder", { ROLLCALL_HOOKS: "" }],
    ["a session that is a path", { ROLLCALL_SESSION: "../../../../../../tmp/rollcall-aaaa" }],
    ["a session of the wrong length", { ROLLCALL_SESSION: "abc" }],
    ["a folder that is gone", { ROLLCALL_HOOKS: "/nowhere/at/all" }],
    ["a folder that is a file", { ROLLCALL_HOOKS: "/etc/hostname" }],
  ];

  test.each(BAD_ENV)("exits 0 in silence with %s", async (_what, env) => {
    using place = newPlace();
    expect(await call(place, ["turn_end"], { env, input: "x".repeat(1_000_000) })).toBe("");
    expect(place.left()).toEqual({});
  });

  const NOTHING_OF_OURS = { ROLLCALL_SESSION: "", ROLLCALL_HOOKS: "" };

  test("leaves an event of a session outside in the folder beside itself", async () => {
    using place = newPlace();
    const input = '{"session_id":"native"}';
    expect(await call(place, ["Stop", "outside"], { env: NOTHING_OF_OURS, input })).toBe("");
    const [name = ""] = Object.keys(place.left());
    expect(name).toMatch(/^outside\.\d{19}\.\d+\.Stop$/);
    expect(place.left()).toEqual({ [name]: input });
    expect(statSync(join(place.hooks, name)).mode & 0o777).toBe(0o600);
  });

  test("of the user's own settings it does nothing inside a session that Rollcall carries", async () => {
    using place = newPlace();
    expect(await call(place, ["Stop", "outside"], { input: "x".repeat(1_000_000) })).toBe("");
    expect(place.left()).toEqual({});
  });

  test.each(HOSTILE)("takes nothing of an event named %j from outside either", async (event) => {
    using place = newPlace();
    expect(await call(place, [event, "outside"], { env: NOTHING_OF_OURS })).toBe("");
    expect(place.left()).toEqual({});
  });

  test("keeps the newest thousand of those from outside, and all of its own sessions", async () => {
    using place = newPlace();
    const names = [`${MARKER}.1.1.e`, ...Array.from({ length: 1000 }, (_, n) => `outside.${1000 + n}.1.e`)];
    for (const name of names) writeFileSync(join(place.hooks, name), "{}");
    expect(await call(place, ["Stop", "outside"], { env: NOTHING_OF_OURS })).toBe("");
    const left = readdirSync(place.hooks);
    expect(left).toHaveLength(1001);
    expect(names.filter((name) => !left.includes(name))).toEqual(["outside.1000.1.e"]);
  });

  test("exits 0 in silence where it may not write", async () => {
    using place = newPlace();
    const full = join(place.hooks, "full");
    mkdirSync(full);
    chmodSync(full, 0o500);
    const env = { ROLLCALL_HOOKS: process.getuid?.() === 0 ? "/proc/self" : full };
    expect(await call(place, ["turn_end"], { env, input: "x".repeat(1_000_000) })).toBe("");
  });

  test("exits 0 in silence without the tools of the system", async () => {
    using place = newPlace();
    const env = { PATH: "/nowhere", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: place.hooks };
    const { status, stdout, stderr } = spawnSync(program, [...flags, place.script, "turn_end"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });

  test("waits for nobody at a terminal", async () => {
    using place = newPlace();
    const env = { PATH: process.env.PATH ?? "", ROLLCALL_SESSION: MARKER, ROLLCALL_HOOKS: place.hooks };
    const command = [...shell, place.script, "turn_end"].join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(Object.values(place.left())).toEqual([""]);
  });
});
