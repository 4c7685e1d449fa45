// Builds the bundled CLI (CommonJS, one lazy chunk per command), the library (ES module with types) and the holder (C).
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { openRollcall } from "../src/index.ts";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

/** The exit code of native/build.sh without a compiler. */
const MISSING_COMPILER = 3;

/**
 * Few files, because finding each takes Node a while: what every call needs, and what every use of the store needs,
 * with the commands that programs call most.
 */
const CLI_CHUNKS = [
  {
    name: "base",
    test: /rolldown[/:]runtime|src\/(cli\/framework\/(commands?|output|parse|help)|present\/text|domain\/(errors|wire))\.ts$/,
    priority: 2,
  },
  {
    name: "record",
    test: /src\/(cli\/commands\/(get|hook)|record\/delegate\/(delegate|last-turns))\.ts$/,
    priority: 1,
  },
  {
    name: "record",
    test: /src\/(domain|store|record)\/|src\/cli\/open\.ts|better-sqlite3/,
    minShareCount: 10,
  },
];

/** One letter beyond ASCII, and Node keeps a file at two bytes a letter and reads it half as fast. */
const ASCII_ONLY: Plugin = {
  name: "ascii-only",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === "chunk") chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};

// Built beside and put in place at the end: whoever uses the command meanwhile has the old one or the new one.
const partial = join(root, `dist.partial-${process.pid}`);
const old = join(root, `dist.partial-${process.pid}-old`);
try {
  await bundle("src/cli/main.ts", join(partial, "cli"), "cjs", [/^node:/]);
  await bundle("src/main.ts", join(partial, "daemon"), "cjs", [/^node:/]);
  await bundle("src/daemon/import/importer.ts", join(partial, "daemon"), "cjs", [/^node:/], "importer");
  await bundle("src/agents/scripted/program/main.ts", join(partial, "agent"), "cjs", [/^node:/], "scripted");
  await bundle("src/index.ts", partial, "es", [/^node:/, "better-sqlite3"]);
  declareTypes(join(partial, "types"));
  if (buildNative(join(partial, "native", "rollcall-holder")))
    buildNative(join(partial, "native", "rollcall-attach"), "--attach");
  if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
  renameSync(partial, join(root, "dist"));
} finally {
  for (const folder of [partial, old]) rmSync(folder, { recursive: true, force: true });
}
await warmUp();

/** The parts in C. Without a compiler everything but live sessions works, and one sentence says what to install. */
function buildNative(output: string, ...mode: string[]): boolean {
  if (process.platform !== "linux") return false;
  const { status, stderr } = spawnSync(join(root, "native", "build.sh"), [output, ...mode], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  if (status !== MISSING_COMPILER) throw new Error(`${output} does not build:\n${stderr}`);
  console.error(`Live sessions will not work: ${stderr.trim()}`);
  return false;
}

function declareTypes(outDir: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", outDir];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

/**
 * Runs the built command line, so that Node keeps its compiled form beside it. What the first run of a file uses is
 * what is kept of it: the commands that programs call most come first.
 */
async function warmUp(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-build-"));
  const call = (input: object, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, "bin", "rollcall.cjs"), ...args], {
      env: { ...process.env, ROLLCALL_HOME: home, ROLLCALL_SESSION_ID: "", ROLLCALL_WARM_UP: "1" },
      input: JSON.stringify(input),
      stdio: ["pipe", "ignore", "inherit"],
    });
  try {
    const id = await makeSession(home);
    call({ agent_name: "builder", task_id: "T1", agent_id: id }, "hook", "pre-delegate");
    for (const args of [["get", id, "--json"], ["list"], ["create", "--no-file"], ["--help"], []])
      call({}, ...args);
  } finally {
    // The roll has started a daemon.
    call({}, "down");
    rmSync(home, { recursive: true, force: true });
  }
}

async function makeSession(home: string): Promise<string> {
  await using rollcall = await openRollcall({ home, cwd: home });
  const { id } = await rollcall.create({ agentName: "builder", taskId: "T1", file: false });
  await rollcall.addEntry(id, { role: "user", kind: "text", text: "Build it.", tool: null });
  await rollcall.update(id, { phase: "approval" });
  return id;
}

async function bundle(
  input: string,
  outDir: string,
  format: "cjs" | "es",
  external: (string | RegExp)[],
  name = "main",
): Promise<void> {
  const extension = format === "cjs" ? "cjs" : "js";
  await using build = await rolldown({
    input: join(root, input),
    platform: "node",
    external,
    // The daemon loads at once what the command line loads late.
    checks: { ineffectiveDynamicImport: false },
    transform: {
      define: { ROLLCALL_VERSION: JSON.stringify(version) },
      // Node 22 knows no `using`, and an older one has to be able to read the library to say that it is too old.
      target: "es2022",
    },
    plugins: format === "cjs" ? [ASCII_ONLY] : [],
  });
  await build.write({
    dir: outDir,
    format,
    entryFileNames: `${format === "cjs" ? name : "[name]"}.${extension}`,
    chunkFileNames: `chunks/[name]-[hash].${extension}`,
    minify: format === "cjs" ? { mangle: true, compress: true, codegen: true } : false,
    ...(input === "src/cli/main.ts" ? { codeSplitting: { groups: CLI_CHUNKS } } : {}),
  });
}

/** Such letters stand in texts and patterns only, and both take this for the letter. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
