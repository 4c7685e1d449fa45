import { expect, test } from "vitest";
import { actionsOf, asked, launched, observe, said, starting, TRUST } from "../../testing/carried.ts";
import type { Observation } from "./observation.ts";

const running = () => observe(starting(), launched(), said("working"));

test("of a question without measure the row has the beginning, and is asked once", () => {
  const endless = "x".repeat(1_000_000);
  const request = asked({
    tool: endless,
    input: { text: endless, path: "/a" },
    question: endless,
    options: Array.from({ length: 1000 }, () => endless),
  });
  const evidence = { source: "terminal", rule: "test", excerpt: null } as const;
  const signal = { ...evidence, says: "asking", asked: request } as const;
  const long: Observation = { saw: "signal", trust: TRUST, signal };
  const row = observe(running(), long);
  expect(row.waiting).toMatchObject({ input: { path: "/a" }, question: `${"x".repeat(4096)}…` });
  expect(JSON.stringify(row).length).toBeLessThan(500_000);
  expect(actionsOf(row, long)).toEqual([]);
});

test("of an error without measure the row has the beginning", () => {
  const failed = said("failed") as Extract<Observation, { saw: "signal" }>;
  const long = { ...failed, signal: { ...failed.signal, excerpt: "x".repeat(1_000_000) } };
  expect(JSON.stringify(observe(running(), long)).length).toBeLessThan(20_000);
});
