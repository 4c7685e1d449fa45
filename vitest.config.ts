import { defineConfig } from "vitest/config";

/** Pure functions: their tests leave nothing behind, and need no process of their own for each file. */
const PURE = [
  "src/domain/**/*.test.ts",
  "src/present/**/*.test.ts",
  "src/operations/**/*.test.ts",
  "src/agents/*.test.ts",
  // The scripted agent is a program, too.
  "src/agents/!(scripted)/**/*.test.ts",
];
/** They start programs, most of them many. */
const PROGRAMS = [
  "src/host/**/*.test.ts",
  "src/agents/scripted/program/**/*.test.ts",
  "src/home/hook-script.test.ts",
  "src/machine/store-lock.test.ts",
  "src/record/lock.test.ts",
  "src/telemetry/process-tree.test.ts",
  "test/*.test.ts",
  "test/cli/**/*.test.ts",
  "test/live/**/*.test.ts",
  "test/conformance/model-server/*.test.ts",
  "test/conformance/report/*.test.ts",
];
const PARTS = ["src/**/*.test.ts"];

export default defineConfig({
  test: {
    environment: "node",
    setupFiles: ["src/testing/fixed-seed.ts"],
    // Only a test that hangs may meet this: beside a load of 30 some take a minute that need two seconds alone.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, as it is without this, is no time on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Live tests mostly wait: more of them than there are cores.
    maxWorkers: 5,
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      { extends: true, test: { name: "parts", include: PARTS, exclude: [...PURE, ...PROGRAMS] } },
      { extends: true, test: { name: "programs", include: PROGRAMS } },
    ],
  },
});
