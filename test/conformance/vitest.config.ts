import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 120_000,
    // The programs are installed from npm the first time.
    hookTimeout: 600_000,
    maxWorkers: 2,
  },
});
