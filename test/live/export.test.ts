import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asking, atPrompt } from "./scripted.ts";
import { newLiveUser } from "./user.ts";

type CastEvent = readonly [interval: number, code: string, data: string];

test("export as an asciicast has a marker at each turn and tool call, by its event, and the exit of the command", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await asking(user, id, `ask Bash {"command":"ls"}`);
  await user.ok(["approve", id]);
  await user.reach(id, "waiting_input");
  await user.ok(["end", id]);
  const { stdout } = await user.ok(["export", id, "--format", "cast"]);
  const [header, ...lines] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(header).toMatchObject({ version: 3, term: { cols: 120, rows: 40 } });
  const cast = lines as CastEvent[];
  expect(cast.every(([interval]) => interval >= 0)).toBe(true);
  const marks = cast.flatMap(([, code, data]) => (code === "m" ? [data] : []));
  const events = (await user.ok(["events", id, "--json"])).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const turn = events.find(({ kind }) => kind === "turn_began");
  const call = events.find(({ kind, body }) => kind === "entry_added" && body.entry.kind === "tool_call");
  expect(marks).toEqual([`turn 1 ${turn.id}`, `Bash ${call.id}`]);
  expect(cast.filter(([, code]) => code === "i")).toEqual([]);
  expect(cast.map(([, code, data]) => (code === "o" ? data : "")).join("")).toContain("Allow Bash");
  const { exit_code, exit_signal } = await user.get(id);
  expect(exit_code !== null || exit_signal !== null).toBe(true);
  expect(cast.at(-1)?.[1]).toBe("x");
});

test("export as an asciicast of a session without a terminal is refused, and leaves no file", async () => {
  await using user = newLiveUser();
  const id = await user.create();
  const path = join(user.workspace, "a.cast");
  const refused = await user.rollcall(["export", id, "--format", "cast", "-o", path, "--json"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
  expect(existsSync(path)).toBe(false);
});
