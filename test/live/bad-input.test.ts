import { afterAll, beforeAll, expect, test } from "vitest";
import { type LiveUser, newLiveUser } from "./user.ts";

/** What is called, and what its one sentence must say. */
const BAD_CALLS: readonly (readonly [args: readonly string[], says: string])[] = [
  [["start", "--kind", "batch", "--", "true"], "interactive, autonomous"],
  [["start", "--channel", "smoke", "--", "true"], "telegram"],
  [["start", "--metadata", "[1]", "--", "true"], "JSON object"],
  [["start", "--timeout", "soon", "--", "true"], "--timeout"],
  [["start", "--timeout", "366d", "--", "true"], "at most 365d"],
  [["start", "--idle-timeout", "0s", "--", "true"], "--idle-timeout"],
  ...["0", "-1", "NaN", "1e400", "much", "0.0000000001", "1000001", ""].map(
    (amount) => [["start", `--max-cost=${amount}`, "--", "true"], "--max-cost"] as const,
  ),
  ...["0", "-1", "1.5", "1e6", "many"].map(
    (amount) => [["start", `--max-tokens=${amount}`, "--", "true"], "--max-tokens"] as const,
  ),
  [["start", "--env", "=x", "--", "true"], "NAME=VALUE"],
  [["start", "--type", "claude", "--", "true"], "--type is not an option"],
  [["start", "scripted", "one", "two"], `does not take "two"`],
  [["start", "scripted", ""], "is empty"],
  [["send", "s1"], "needs ID TEXT"],
  [["send", "s1", ""], "is empty"],
  [["keys", "s1"], "needs ID KEY"],
  [["answer", "s1"], "needs ID CHOICE"],
  [["approve", "s1", "--reason", "x"], "--reason is not an option"],
  [["data", "s1", "--tail", "0"], "--tail"],
  [["data", "s1", "--after", "x"], "--after"],
  [["data", "s1", "--before", "-1"], "--before"],
  [["data", "s1", "--max-bytes", "999"], "from 1000 to 1000000"],
  [["data", "s1", "--max-bytes", "1000001"], "from 1000 to 1000000"],
  [["wait"], "needs ID"],
  [["wait", "s1", "--until", "done"], "waiting_input"],
  [["wait", "s1", "--until", ""], "waiting_input"],
  [["wait", "s1", "--after", "-1"], "--after"],
  [["wait", "s1", "--timeout", "5"], "--timeout"],
  [["end"], "needs an ID or --all"],
  [["end", "s1", "--all"], "leave the ids out"],
  [["end", "s1", "--grace", "soon"], "--grace"],
  [["end", "s1", "--outcome", "fine"], "success, failure, interrupted"],
  [["resume"], "needs an ID or --all-lost"],
  [["resume", "s1", "--all-lost"], "needs an ID or --all-lost"],
  [["fork"], "needs ID"],
  [["down", "--grace", "soon"], "--grace"],
  [["up", "now"], `does not take "now"`],
  [["status", "now"], `does not take "now"`],
  [["next", "s1"], `does not take "s1"`],
  ...["attach", "interrupt", "pause", "continue", "explain", "logs", "approve", "deny"].map(
    (verb) => [[verb], "needs ID"] as const,
  ),
];

let user: LiveUser;
let before: string;

beforeAll(async () => {
  user = newLiveUser();
  await user.create("--id", "s1");
  before = await user.everything();
});

afterAll(async () => user[Symbol.asyncDispose]());

test.each(BAD_CALLS)("%j is refused in one sentence, exit 2", async (args, says) => {
  const answer = await user.rollcall(args);
  expect(answer).toMatchObject({ code: 2, stdout: "" });
  expect(answer.stderr).toMatch(/^rollcall: [^\n]+\.\n$/);
  expect(answer.stderr).toContain(says);
  expect(answer.stderr).not.toContain("The input of");
});

test("none of these calls has changed a record, an event or a file, or started the daemon", async () => {
  expect(await user.everything()).toBe(before);
  expect(await user.daemonPid()).toBeUndefined();
});
