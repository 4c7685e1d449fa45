import { defineConfig } from "vitest/config";

/** Two programs at a time: each takes a core of its own while it starts. */
export default defineConfig({
  test: {
    include: ["test/conformance/*.test.ts"],
    environment: "node",
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
    disableConsoleIntercept: true,
  },
});
