import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../cli/rollcall.ts";
import { atTerminal } from "../cli/terminal.ts";
import { findTool } from "../cli/tools.ts";
import { newLiveUser, until } from "./user.ts";

const script = findTool("script", "apt-get install bsdutils");

test.runIf(script)("the roll in the README is what the demo shows", async () => {
  await using user = newLiveUser();
  const folder = join(user.workspace, "shop");
  mkdirSync(folder);
  execFileSync("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: folder });
  await user.ok(["demo"], { cwd: folder });
  await user.reach("demo-tests", "failed");
  const wanted = steady(sampleOf(readFileSync(join(ROOT, "README.md"), "utf8")));
  let shown = "";
  const isShown = async () => {
    const { lines } = await atTerminal(user, [], { columns: 120 });
    shown = lines.join("\n");
    return isDeepStrictEqual(steady(shown), wanted);
  };
  await until(isShown, "the roll of the README").catch(() => expect(steady(shown)).toEqual(wanted));
});

function sampleOf(readme: string): string {
  const block = /^```console\n\$ rollcall\n(.*?)^```/ms.exec(readme)?.[1] ?? "";
  return block.trimEnd();
}

/** Without ids, ages, times of day, what the writer has used so far, and the lines behind the table; who asked first is a matter of milliseconds. */
function steady(roll: string): string[] {
  const plain = roll
    .replace(/\n\n?Start one:[\s\S]*$/, "")
    .replace(/^[0-9a-f]{6}(?= )/gm, "ID    ")
    .replace(/ (?: \d[smh]|\d\d[smh]|now)(?= )/g, " AGE")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "HH:MM:SS")
    .replace(/ +(TOKENS) +(COST)$/gm, " $1 $2")
    .replace(/ +(\S+) +(\S+)$/gm, (end, tokens: string, cost: string) =>
      /^(?:—|\$[\d.]+)$/.test(cost) ? ` ${tokens} ${cost}` : end,
    )
    .replace(/^(.* demo-writer .*) [\d.]+[kM]? \$[\d.]+$/gm, "$1 TOKENS COST")
    .replace(/ +$/gm, "")
    .trimEnd();
  const [head = "", table = ""] = plain.split("\n\n");
  return [head, ...table.split(/\n(?! )/).sort()];
}
