import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { tempFolder } from "../src/testing/temp-folder.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "json.md"), "utf8");

/** The types of docs/json.md. */
const types = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join("\n");

/** What the table of docs/json.md says that a command answers. */
export function documentedAnswer(command: string): string {
  const rows = page.split("\n").filter((line) => line.startsWith("| `rollcall"));
  const row = rows.find((line) => line.split(" | ")[0]?.includes(`\`${command}\``));
  const type = row?.slice(row.indexOf(" | ") + 3).match(/`(.*)`/)?.[1];
  if (type === undefined) throw new Error(`docs/json.md does not say what ${command} answers.`);
  return type;
}

/** Every command that the page has a shape for. */
export function documentedCommands(): string[] {
  const first = page
    .split("\n")
    .flatMap((line) => (line.startsWith("| `rollcall") ? [line.split(" | ")[0]] : []));
  return first.flatMap((cell) => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name as string));
}

export interface RealAnswer {
  readonly command: string;
  readonly value: unknown;
}

/** What the compiler finds wrong with the real answers, held against the types: missing keys, other keys, other values. */
export function shapeProblems(answers: readonly RealAnswer[]): string[] {
  using folder = tempFolder();
  const file = join(folder.path, "answers.ts");
  const checks = answers.map(
    ({ command, value }, index) =>
      `// ${command}\nconst answer${index}: ${documentedAnswer(command)} = ${JSON.stringify(value)};`,
  );
  writeFileSync(file, `${types}\n${checks.join("\n")}\nexport {};\n`);
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = ["--noEmit", "--strict", "--target", "es2023", "--ignoreConfig", file];
  const { stdout } = spawnSync(process.execPath, [tsc, ...args], { encoding: "utf8", cwd: folder.path });
  const lines = readFileSync(file, "utf8").split("\n");
  return stdout.split("\n").flatMap((problem) => {
    const [, line] = /\((\d+),\d+\): error/.exec(problem) ?? [];
    return line === undefined
      ? []
      : [`${lines[Number(line) - 2]}: ${problem.slice(problem.indexOf("error"))}`];
  });
}
