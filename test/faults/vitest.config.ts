import { defineConfig } from "vitest/config";

/** One file after the other: the tests time their kills, and share loop devices and two cores. */
export default defineConfig({
  test: {
    include: ["test/faults/*.test.ts"],
    environment: "node",
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
