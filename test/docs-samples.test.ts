import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOOKED_TYPES } from "../src/agents/hook-registry.ts";
import { HOOKS } from "../src/cli/commands/hook.ts";
import { Rollcall } from "../src/record/rollcall.ts";
import { tempFolder } from "../src/testing/temp-folder.ts";
import { hookExamples } from "./hook-examples.ts";

const root = join(import.meta.dirname, "..");

describe("docs/library.md", () => {
  const text = readFileSync(join(root, "docs", "library.md"), "utf8");
  const samples = [...text.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```/gms)];

  test("has samples that compile, and a wrong one would not", () => {
    using folder = tempFolder();
    const files = samples.map((match, index) =>
      writeSample(folder.path, `sample-${index}`, match[1] as string),
    );
    const wrong =
      'import { openRollcall } from "rollcall";\n(await openRollcall()).update("id", { phase: "wings" });\n';
    files.push(writeSample(folder.path, "wrong", wrong));
    expect(compile(folder.path, files)).toEqual([expect.stringMatching(/wrong\.mts.*TS2322/)]);
  });

  test.each(samples.map((match, index) => [index + 1, match] as const))(
    "sample %i prints what the page says",
    (_number, match) => {
      using folder = tempFolder();
      const file = writeSample(folder.path, "sample", match[1] as string);
      const project = join(folder.path, "project");
      mkdirSync(project);
      const env = { PATH: process.env.PATH, HOME: folder.path, ROLLCALL_HOME: join(folder.path, "state") };
      const said = execFileSync(process.execPath, [file], { cwd: project, env, encoding: "utf8" });
      expect(said).toBe(match[2]);
    },
  );

  test("has as many samples as blocks of TypeScript", () => {
    expect(samples).toHaveLength(text.match(/^```ts$/gm)?.length ?? 0);
    expect(samples.length).toBeGreaterThan(4);
  });

  test("shows what the hooks really take and answer", async () => {
    const real: string[] = [];
    for (const name of Object.keys(HOOKS))
      for (const from of [undefined, ...HOOKED_TYPES])
        for (const { input, output } of await hookExamples(name, from))
          real.push(steady(input), steady(output));
    const shown = [...text.matchAll(/^```json\n(.*?)^```/gms)].map((match) =>
      steady(JSON.parse(match[1] as string)),
    );
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((json) => !real.includes(json))).toEqual([]);
  });

  test("lists every operation of the library", () => {
    const methods = Object.getOwnPropertyNames(Rollcall.prototype).filter(
      (name) => !["constructor", "close"].includes(name),
    );
    expect(methods.filter((name) => !text.includes(`\`rollcall.${name}()\``))).toEqual([]);
  });
});

/** JSON without what differs from run to run. */
function steady(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/session-\d{8}-\d{6}-[0-9a-f]{6}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

function writeSample(folder: string, name: string, code: string): string {
  const path = join(folder, `${name}.mts`);
  writeFileSync(
    path,
    code.replace('from "rollcall"', `from ${JSON.stringify(join(root, "src", "index.ts"))}`),
  );
  return path;
}

/** What the compiler says of files, under the project's own settings. */
function compile(folder: string, files: readonly string[]): string[] {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      rootDir: "/",
      typeRoots: [join(root, "node_modules", "@types")],
      rewriteRelativeImportExtensions: false,
    },
    include: [],
    files,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", folder], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line.includes("error TS"));
}
