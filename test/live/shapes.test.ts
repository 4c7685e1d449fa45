import { expect, test } from "vitest";
import { RECORD_KEYS } from "../cli/record-keys.ts";
import { asking, atPrompt, reachAfter } from "./scripted.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

const SESSION = Object.values(RECORD_KEYS).flat().toSorted();
const WAITED = ["reached", "session", "turn"];

/** The keys of what a call prints with `--json`. */
async function keysOf(user: LiveUser, ...args: readonly string[]): Promise<string[]> {
  return Object.keys((await user.ok([...args, "--json"])).json).toSorted();
}

async function did(user: LiveUser, id: string, ...args: readonly string[]): Promise<number> {
  const { json } = await user.ok([...args, "--json"]);
  expect(json, args.join(" ")).toEqual({ session_id: id, seq: expect.any(Number) });
  return json.seq as number;
}

test("every verb that only does something answers with the session and its seq, and nothing else", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--name", "one");
  await asking(user, id, "ask Bash");
  await reachAfter(user, id, await did(user, id, "approve", "one"), "waiting_input");
  await asking(user, id, "ask Bash");
  await reachAfter(user, id, await did(user, id, "deny", id.slice(-6)), "waiting_input");
  await asking(user, id, "question Which? red | green");
  await reachAfter(user, id, await did(user, id, "answer", "last", "1"), "waiting_input");
  await did(user, id, "keys", id, "x", "Backspace");
  expect((await user.ok(["send", id, "hang", "--json"])).json).toEqual({
    session_id: id,
    ...{ seq: expect.any(Number), turn: expect.any(Number) },
  });
  await user.reach(id, "running");
  for (const verb of ["pause", "continue"])
    expect((await user.ok([verb, id, "--json"])).json).toEqual({
      results: [{ session_id: id, seq: expect.any(Number) }],
    });
  await did(user, id, "interrupt", id);
});

test("start, resume and fork answer with the record, and with --wait with what was reached and said", async () => {
  await using user = newLiveUser();
  const answered = ["answer", ...WAITED];
  const begin = ["start", "--wait", "--kind", "interactive", "--name", "one", "scripted", "say hi"];
  expect(await keysOf(user, ...begin)).toEqual(answered);
  await user.ok(["end", "one"]);
  expect(await keysOf(user, "resume", "one")).toEqual(SESSION);
  await user.reach("one", "waiting_input");
  expect(await keysOf(user, "send", "one", "say ho", "--wait")).toEqual(answered);
  expect(await keysOf(user, "fork", "one", "--name", "two")).toEqual(SESSION);
  expect(await keysOf(user, "start", "--name", "three", "scripted")).toEqual(SESSION);
});

test("data, wait, explain, status and end answer with the fields that are agreed", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const other = await atPrompt(user);
  await user.ok(["send", id, "say hi ; tool Read {}", "--wait"]);
  const { json: data } = await user.ok(["data", id, "--json"]);
  expect(Object.keys(data).toSorted()).toEqual(
    [
      "after",
      "before",
      "entries",
      "has_rewound",
      "observability",
      "screen",
      "session_id",
      "state",
      "truncated",
    ].toSorted(),
  );
  for (const entry of data.entries as object[])
    expect(Object.keys(entry)).toEqual(expect.arrayContaining(["seq", "at", "role", "kind", "text", "tool"]));
  expect(Object.keys((await user.ok(["wait", id, "--json"])).only).toSorted()).toEqual(WAITED);
  const { results } = (await user.ok(["wait", id, other, "--json"])).json;
  expect((results as object[]).map((each) => Object.keys(each).toSorted())).toEqual([WAITED, WAITED]);
  expect(await keysOf(user, "explain", id)).toEqual(
    [
      "session_id",
      "state",
      "since",
      "rule",
      "source",
      "evidence",
      "sources",
      "resume",
      "conversation",
    ].toSorted(),
  );
  const { json: status } = await user.ok(["status", "--json"]);
  expect(Object.keys(status)).toEqual(expect.arrayContaining(["daemon", "store", "machine", "live"]));
  expect(Object.keys(status.daemon as object)).toEqual(
    expect.arrayContaining(["running", "pid", "version", "socket", "url", "token_file"]),
  );
  const ended = ["children", "killed", "remaining", "session"];
  expect(Object.keys((await user.ok(["end", id, "--json"])).only).toSorted()).toEqual(ended);
  expect(await keysOf(user, "end", "--all")).toEqual(["results"]);
});
