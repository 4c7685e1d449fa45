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
    setupFiles: ["src/testing/fixed-seed.ts"],
    // Only a test that hangs may meet this: beside a load of 30 some take a minute that need two seconds alone.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, as it is without this, is no time on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Live tests mostly wait: more of them than there are cores.
    maxWorkers: 4,
  },
});
