import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "src/**/*.test.ts",
      "test/*.test.ts",
      "test/cli/**/*.test.ts",
      "test/live/**/*.test.ts",
      "test/conformance/model-server/*.test.ts",
      "test/conformance/report/*.test.ts",
    ],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, as it is without this, is no time on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Live tests mostly wait: more of them than there are cores.
    maxWorkers: 4,
  },
});
