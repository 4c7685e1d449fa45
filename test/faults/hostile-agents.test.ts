import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const AGENT = join(import.meta.dirname, "workers", "hostile-acp.ts");
const spoken = (how: string) => ["--kind", "acp", "--", process.execPath, AGENT, how];

const MISDEEDS = [
  ...["nothing", "pieces", "calls", "requests", "long line", "deep JSON", "deep parameters", "no JSON"],
  "wrong ids",
];

test.each(MISDEEDS)("an agent over ACP ends its turn at its prompt, though it sends: %s", async (how) => {
  await using user = newFaultUser();
  const { id } = await user.start(spoken(how));
  await user.reach(id, "waiting_input");
  for (const number of [1, 2, 3]) {
    expect((await user.rollcall(["send", id, "go", "--wait", "--timeout", "60s"])).code).toBe(0);
    // A word of the text itself that comes behind the agent's answer would begin a turn that nobody ends.
    expect(await user.get(id)).toMatchObject({
      state: "waiting_input",
      turn: { number, outcome: "success" },
    });
  }
  await user.ok(["end", id, "--grace", "1s"]);
});

test("an agent over ACP that never answers is ended as any other", async () => {
  await using user = newFaultUser();
  const { id } = await user.start(spoken("no answer"));
  expect((await user.rollcall(["send", id, "go", "--timeout", "1s"])).code).not.toBe(0);
  await user.ok(["end", id, "--grace", "1s"]);
  expect(await user.get(id)).toMatchObject({ state: "stopped" });
});
