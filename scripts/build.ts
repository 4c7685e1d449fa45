// Builds the bundled CLI (CommonJS, one lazy chunk per command) and the library (ES module with types).
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const external = [/^node:/, "better-sqlite3"];

rmSync(join(root, "dist"), { recursive: true, force: true });
await bundle("src/cli/main.ts", "dist/cli", "cjs");
await bundle("src/index.ts", "dist", "es");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.types.json")], { stdio: "inherit" });

async function bundle(input: string, outDir: string, format: "cjs" | "es"): Promise<void> {
  const extension = format === "cjs" ? "cjs" : "js";
  await using build = await rolldown({ input: join(root, input), platform: "node", external });
  await build.write({
    dir: join(root, outDir),
    format,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[name]-[hash].${extension}`,
    minify: false,
  });
}
