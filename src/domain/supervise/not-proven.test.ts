import { describe, expect, test } from "vitest";
import {
  AGENT,
  actionsOf,
  END,
  exitOf,
  found,
  launched,
  observe,
  said,
  starting,
  TIMEOUT,
} from "../../testing/carried.ts";

/** Without the end of the turn that goes with it. */
const decided = (...given: Parameters<typeof actionsOf>) =>
  actionsOf(...given).filter((action) => action.do !== "append" || action.body.kind !== "turn_ended");
const running = () => observe(starting(), launched(), said("working"));

describe("a daemon that finds neither holder nor guard", () => {
  test.each([
    ["an end", END],
    ["a limit", TIMEOUT],
  ] as const)("does not take %s for reached without the word of holder or guard", (_, asked) => {
    const survivors = [{ ...AGENT, pid: 78 }];
    for (const exit of [null, exitOf("SIGTERM", "ending", { reason: "asked" }), exitOf(0, "blocked")]) {
      const row = observe(running(), asked);
      const actions = decided(row, found({ exit, survivors }));
      expect(actions).toMatchObject([
        { body: { evidence: { rule: "not_proven", excerpt: expect.stringContaining("pids 78") } } },
        { do: "close" },
      ]);
      expect(observe(row, found({ exit, survivors }))).toMatchObject({
        state: "unknown",
        endReason: "not_proven",
        outcome: null,
      });
    }
  });

  test("keeps the ending of an end that was not proven for the one that is", () => {
    const asked = observe(running(), said("good"), END);
    const again = observe(asked, found(), END, found({ bootId: "boot-b" }));
    expect(again).toMatchObject({ state: "stopped", outcome: "success" });
  });

  test("closes a session whose end was asked for, once a reboot proves that nothing is left of it", () => {
    const actions = decided(observe(running(), said("good"), END), found({ bootId: "boot-b" }));
    expect(actions).toMatchObject([{ body: { evidence: { rule: "nothing_left" } } }, { do: "close" }]);
  });

  test("says the exit that was written of an agent that left by itself, and that its tree is not proven", () => {
    const traces = found({ exit: exitOf(3, "ending") });
    expect(observe(running(), traces)).toMatchObject({ state: "failed", exitCode: 3 });
    expect(decided(running(), traces)).toMatchObject([
      { body: { evidence: { rule: "not_proven", excerpt: "exit 3" } } },
      { do: "close" },
    ]);
  });

  test("names those that nothing but the knowledge of the tree finds", () => {
    const traces = found({ survivors: [{ ...AGENT, pid: 78 }] });
    expect(decided(running(), traces)).toMatchObject([
      { body: { evidence: { rule: "holder_lost", excerpt: "still running: pids 78" } } },
      { do: "close" },
    ]);
  });
});
