import { defineConfig } from "vitest/config";

/**
 * Two programs at a time: each takes a core of its own while it starts. The full run has rows that do nothing but wait
 * for minutes, and one more at a time.
 */
export default defineConfig({
  test: {
    include: ["test/conformance/*.test.ts"],
    environment: "node",
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: process.env.ROLLCALL_CONFORMANCE === "full" ? 3 : 2,
    disableConsoleIntercept: true,
  },
});
