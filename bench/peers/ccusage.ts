import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { environmentOf, folderOf } from "../../src/testing/history/write-tree.ts";
import { installPackage } from "../../test/conformance/programs.ts";
import { type Counted, NOTHING, plus, type Run } from "./run.ts";

const VERSION = "20.0.24";

interface Row {
  readonly sessionId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  readonly totalCost?: number;
  readonly costUSD?: number;
}

/** The peer that counts tokens of the same files, with the prices that come with it. */
export async function installCcusage(): Promise<(root: string) => Run> {
  const path = await installPackage({
    name: "ccusage",
    package: "ccusage",
    version: VERSION,
    binary: () => `@ccusage/ccusage-linux-${process.arch}/bin/ccusage`,
  });
  // The script in front of it would do this, and cost the start of a Node each time.
  chmodSync(path, 0o755);
  return (root) => runCcusage(path, root);
}

/** It shows a session of Claude Code together with its sub-agents, and of Codex each file. */
function runCcusage(path: string, root: string): Run {
  const started = performance.now();
  const rows = (["claude", "codex"] as const).flatMap((agent) => {
    if (!existsSync(folderOf(root, agent))) return [];
    const args = [agent, "session", "--json", "--offline"];
    const env = { PATH: process.env.PATH ?? "", ...environmentOf(root) };
    const text = execFileSync(path, args, { env, encoding: "utf8", maxBuffer: 1e9 });
    return (JSON.parse(text) as { sessions: Row[] }).sessions;
  });
  const ms = performance.now() - started;
  const sessions = new Map<string, Counted>();
  for (const row of rows) {
    const id = row.sessionId.slice(-36);
    sessions.set(id, plus(sessions.get(id) ?? NOTHING, countedIn(row)));
  }
  return { name: `ccusage ${VERSION}`, sessions, steps: [{ name: "scan", ms }] };
}

function countedIn(row: Row): Counted {
  return {
    input: row.inputTokens,
    output: row.outputTokens,
    cacheRead: row.cacheReadTokens,
    cacheWrite: row.cacheCreationTokens,
    costUsd: row.totalCost ?? row.costUSD ?? 0,
  };
}
