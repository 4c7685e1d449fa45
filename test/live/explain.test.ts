import { expect, test } from "vitest";
import { asking, atPrompt, turn } from "./scripted.ts";
import { newLiveUser } from "./user.ts";

test("explain tells the rule, what it saw, what every source says, and what the resume verdict rests on", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--name", "talk");
  await turn(user, id, "say hi");
  const { waiting } = await asking(user, id, "ask Bash");
  const explained = (await user.ok(["explain", id, "--json"])).json as unknown as {
    sources: { source: string; says: string }[];
  };
  expect(explained).toMatchObject({
    ...{ session_id: id, state: "waiting_input", source: "terminal", rule: "report_blocked" },
    evidence: { source: "terminal", rule: "report_blocked", excerpt: "Bash" },
    resume: {
      resume: false,
      reason: "phase_not_resumable",
      inputs: { phase: "initializing", error_count: 0 },
    },
  });
  expect(waiting).toMatchObject({ tool: "Bash" });
  const says = Object.fromEntries(explained.sources.map(({ source, says: word }) => [source, word]));
  expect(says.process).toMatch(/^pid \d+ is alive; its holder answers for it$/);
  expect(says.transcript).toBe("there");
  const text = (await user.ok(["explain", "talk"])).stdout;
  expect(text).toContain("is waiting_input");
  expect(text).toContain("report_blocked");
  expect(text).toContain("Work can go on: no, phase_not_resumable\n  phase: initializing\n");
  expect(text).toContain("Conversation can be resumed: no, still_running\n");
  await user.ok(["end", id]);
  expect((await user.ok(["explain", id, "--json"])).json).toMatchObject({
    resume: { resume: false },
    conversation: { resumable: true, reason: null },
  });
});

test.each([
  [["--", "sh", "-c", "exit 3"], "failed", "exited", "exit 3"],
  [["--", "true"], "stopped", "exited", "exit 0"],
  [["--", "sh", "-c", "kill -9 $$"], "failed", "exited", "SIGKILL"],
])("explain of %j says how it ended", async (args, state, rule, excerpt) => {
  await using user = newLiveUser();
  const { id } = await user.start(args);
  await user.reach(id, state);
  expect((await user.ok(["explain", id, "--json"])).json).toMatchObject({
    ...{ state, source: "process", rule },
    evidence: { excerpt },
  });
});

test("explain of a record, of a failed start and of nothing has an answer", async () => {
  await using user = newLiveUser();
  const record = await user.create();
  expect((await user.ok(["explain", record, "--json"])).json).toMatchObject({
    state: "running",
    source: "declared",
    resume: { resume: false },
  });
  await user.rollcall(["start", "--id", "bad", "--", "no-such-program"]);
  expect((await user.ok(["explain", "bad", "--json"])).json).toMatchObject({ state: "failed" });
  expect(await user.rollcall(["explain", "nobody"])).toMatchObject({ code: 3 });
});
