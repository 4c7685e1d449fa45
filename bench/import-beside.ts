import { spawn } from "node:child_process";
import { once } from "node:events";
import { cliMissing, LAUNCHER } from "./cli.ts";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { median } from "./measure.ts";
import { writePlainTree } from "./plain-tree.ts";
import { childEnv } from "./scratch.ts";
import { createSessions, openIn } from "./sessions.ts";

/** How long a hook and an update take that other processes make during an import, against the same without one. */
export async function* beside(bench: Bench): AsyncIterable<Figure | NotRun> {
  const names = ["import-beside-hook", "import-beside-update"];
  const notRun = cliMissing();
  if (notRun) {
    for (const name of names) yield { name, notRun };
    return;
  }
  const [root, home] = [bench.scratch.folder(), bench.scratch.folder()];
  writePlainTree(root, { sessions: 20, requests: bench.isQuick ? 400 : 1500 });
  const rollcall = await openIn(home);
  const [id = ""] = await createSessions(rollcall, 1);
  await rollcall.close();
  const env = childEnv({ HOME: root, CLAUDE_CONFIG_DIR: root, ROLLCALL_HOME: home });
  const run = (words: readonly string[], input = "") => runOnce(bench, words, { env, input });
  const calls = [
    () =>
      run(["hook", "pre-delegate"], JSON.stringify({ agent_name: "a", task_id: "t", task_description: "d" })),
    () => run(["update", id, "--phase", "executing"]),
  ];
  const alone = await timesOf(calls, (round) => round < 5);
  let isImporting = true;
  const imported = run(["import", "--json"]).finally(() => {
    isImporting = false;
  });
  const during = await timesOf(calls, () => isImporting);
  await imported;
  for (const [index, name] of names.entries()) {
    const [ours, baseline] = [median(during[index] ?? []), median(alone[index] ?? [])];
    const longest = Math.round(Math.max(...(during[index] ?? [])));
    const note = `the median of ${during[index]?.length} during an import, against none; the longest ${longest} ms`;
    yield { name, ours, baseline, value: ours / baseline, valueUnit: "x", unit: "ms", note };
  }
  bench.scratch.remove(root);
}

/** The times of each call, made in turn. */
async function timesOf(
  calls: readonly (() => Promise<number>)[],
  goesOn: (round: number) => boolean,
): Promise<number[][]> {
  const times = calls.map((): number[] => []);
  for (let round = 0; goesOn(round); round++)
    for (const [index, call] of calls.entries()) times[index]?.push(await call());
  return times;
}

async function runOnce(
  { scratch }: Bench,
  words: readonly string[],
  { env, input }: { readonly env: NodeJS.ProcessEnv; readonly input: string },
): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [LAUNCHER, ...words], { env, stdio: ["pipe", "ignore", "inherit"] });
  scratch.watch(child);
  child.stdin.end(input);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${words.join(" ")} exited with ${code}.`);
  return performance.now() - began;
}
