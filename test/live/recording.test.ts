import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectHolder } from "../../src/host/holder.ts";
import { readRecording } from "../../src/recording/recording-segments.ts";
import { asking, atPrompt } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const SECRET = "hunter2-is-no-password";

function shown(user: LiveUser, id: string): string {
  const events = [...readRecording(join(user.state, "recordings", id))];
  return events.map(([, kind, text]) => (kind === "o" ? text : "")).join("");
}

/** Says one half of what it is told at each key. */
function halves(first: string, second: string): string[] {
  const script = `stty raw -echo; printf '%s' "$1"; read -r x; printf '%s' "$2"; printf 'done'; sleep 1000`;
  return [
    "--env",
    `API_TOKEN=${SECRET}`,
    "--",
    "bash",
    "-c",
    script.replace("read -r x", "read -rn1 x"),
    "sh",
    first,
    second,
  ];
}

const CUTS: readonly (readonly [what: string, first: string, second: string, whole: string])[] = [
  ["a secret", `key ${SECRET.slice(0, 9)}`, SECRET.slice(9), "key [REDACTED:value]done"],
  ["an escape sequence", "a\x1b[3", "1mred", "a\x1b[31mreddone"],
];

test.each(CUTS)(
  "a daemon that comes back in the middle of %s records it as if it had never left",
  async (_, first, second, whole) => {
    await using user = newLiveUser();
    const { id } = await user.start(halves(first, second));
    await until(() => shown(user, id).startsWith(whole.slice(0, 1)), "the first half");
    await user.ok(["down"]);
    await user.ok(["up"]);
    await user.ok(["keys", id, "x"]);
    await until(() => shown(user, id).endsWith("done"), "the second half");
    expect(shown(user, id)).toBe(whole);
    await user.ok(["end", id]);
  },
);

test("a recording goes on in the time of its launch, whichever daemon writes it", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(halves("one", "two"));
  await until(() => shown(user, id) === "one", "the first half");
  await user.killDaemon();
  await user.ok(["up"]);
  await user.ok(["keys", id, "x"]);
  await until(() => shown(user, id).endsWith("done"), "the second half");
  const times = [...readRecording(join(user.state, "recordings", id))].map(([seconds]) => seconds);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(times[0] as number);
  await user.ok(["end", id]);
});

test("a terminal that got another size is recorded, and shown after its end, in that size", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sh", "-c", "echo up; read x; echo 1234567890abc; exec sleep 1000"]);
  const [folder = ""] = user.launchFolders();
  {
    await using view = await connectHolder(folder, { role: "view", types: true, cols: 10, rows: 5 });
    await until(() => sizes(user, id).includes("10x5"), "the new size");
    view.input("\r");
    await until(() => shown(user, id).includes("abc"), "the text");
  }
  await user.ok(["end", id]);
  expect(sizes(user, id)).toEqual(["120x40", "10x5"]);
  expect((await user.ok(["data", id, "--json"])).json.screen).toContain("1234567890\nabc");
});

test("the output of a terminal that never rests is let go of, too, and its screen can be seen", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "yes", "a line of text that goes on and on"]);
  const [folder = ""] = user.launchFolders();
  await until(() => !readdirSync(folder).includes("out-0000000000000000"), "the first bytes to go");
  const { screen } = (await user.ok(["data", id, "--json"])).json;
  expect(screen).toContain("a line of text that goes on and on\na line");
  expect(readFileSync(join(user.state, "daemon.log"), "utf8")).not.toContain("could not take a snapshot");
  await user.ok(["end", id]);
});

test("a recording marks the states, and has nothing of what an agent says of itself in base64", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--env", `API_TOKEN=${SECRET}`);
  await asking(user, id, `ask Bash {"command":"use ${SECRET}"}`);
  await user.ok(["approve", id]);
  await user.reach(id, "waiting_input");
  await user.ok(["end", id]);
  const events = [...readRecording(join(user.state, "recordings", id))];
  expect(events.flatMap(([, kind, text]) => (kind === "m" ? [text] : []))).toEqual([
    ...["state: starting", "state: waiting_input (prompt)", "state: running"],
    ...["state: waiting_input (permission)", "state: running", "state: waiting_input (prompt)"],
    ...["state: stopping", "state: stopped"],
  ]);
  expect(shown(user, id)).toContain("Allow Bash");
  expect(JSON.stringify(events)).not.toContain("7501");
  // They are no part of the terminal's text.
  expect((await user.ok(["logs", id])).stdout).not.toContain("state:");
});

function sizes(user: LiveUser, id: string): string[] {
  const events = [...readRecording(join(user.state, "recordings", id))];
  return events.flatMap(([, kind, size]) => (kind === "r" ? [size] : []));
}
