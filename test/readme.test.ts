import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

describe("the examples of the README", () => {
  let place: string;

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "rollcall-readme-"));
    mkdirSync(join(place, "bin"));
    mkdirSync(join(place, "project"));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin", "rollcall.cjs")}" "$@"\n`;
    writeFileSync(join(place, "bin", "rollcall"), command);
    chmodSync(join(place, "bin", "rollcall"), 0o755);
  });

  afterAll(() => {
    run("rollcall", ["down", "--end-all"]);
    rmSync(place, { recursive: true, force: true });
  });

  function run(program: string, args: readonly string[]): string {
    const env = { HOME: place, PATH: `${join(place, "bin")}:${process.env.PATH}`, TMPDIR: tmpdir() };
    return execFileSync(program, args, { cwd: join(place, "project"), env, encoding: "utf8" });
  }

  test("the shell commands work one after the other, each block twice, in an empty HOME", () => {
    const script = blocks("sh")
      .flatMap((block) => [block, block])
      .join("\n");
    expect(script.split("\n").length).toBeGreaterThan(20);
    const said = run("bash", ["-euo", "pipefail", "-c", script]);
    expect(said).toContain("hello from ");
    expect(said).toContain("42 tests passed");
    expect(said).toContain("yes: session_resumable (record)");
    expect(said).toContain('"reason":"no_existing_session"');
    expect(said).toContain("Sound: ");
  });

  test("the commands for real agents work twice with the scripted agent in their place", () => {
    const [block = ""] = blocks("").filter((text) => text.includes("start claude"));
    const script = block
      .replaceAll(/start (claude|codex|gemini|opencode)/g, "start scripted")
      .replaceAll(/ --model \S+/g, "");
    expect(script).toContain("--name");
    const said = run("bash", ["-euo", "pipefail", "-c", script + script]);
    expect(said.match(/stopped/g)).toHaveLength(2);
  });

  test("the TypeScript compiles and runs", () => {
    const [code] = blocks("ts");
    const file = join(place, "example.ts");
    writeFileSync(
      file,
      (code as string).replace('"rollcall"', JSON.stringify(join(root, "src", "index.ts"))),
    );
    expect(run(process.execPath, [file])).toBe("true 1500\n");
  });
});

/** The code blocks of one language; "" for those that name none. */
function blocks(language: string): string[] {
  const fences = readme.split(/^```/m);
  return fences
    .filter((text, index) => index % 2 === 1 && text.startsWith(`${language}\n`))
    .map((text) => text.slice(language.length + 1));
}
