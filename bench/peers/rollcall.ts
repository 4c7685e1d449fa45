import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHOSEN_PRICES } from "../../src/testing/history/cost.ts";
import { environmentOf } from "../../src/testing/history/write-tree.ts";
import { LAUNCHER } from "../cli.ts";
import type { Counted, Run } from "./run.ts";

interface Shown {
  readonly native_id: string;
  readonly parent_id: string | null;
  readonly agent_type: string;
  readonly usage: Usage;
  readonly usage_with_children: Usage;
}

interface Usage {
  readonly tokens_input: number | null;
  readonly tokens_output: number | null;
  readonly tokens_cache_read: number | null;
  readonly tokens_cache_write: number | null;
  readonly cost_usd: number | null;
}

/** Rollcall through its own command: import, what it then knows, and an import that finds nothing new. */
export function runRollcall(root: string, home: string): Run {
  mkdirSync(home);
  writeFileSync(join(home, "config.json"), JSON.stringify({ prices: CHOSEN_PRICES }));
  const env = { PATH: process.env.PATH ?? "", ...environmentOf(root), ROLLCALL_HOME: home };
  const steps: { name: string; ms: number }[] = [];
  const call = (name: string, ...args: string[]): string => {
    const started = performance.now();
    const text = execFileSync(process.execPath, [LAUNCHER, ...args], {
      env,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
    steps.push({ name, ms: performance.now() - started });
    return text;
  };
  call("import", "import", "--json");
  call("stats", "stats", "--json");
  call("import again", "import", "--json");
  const shown = JSON.parse(call("list", "list", "--json", "--limit", "all")) as { sessions: Shown[] };
  const isAlone = ({ agent_type }: Shown) => agent_type === "codex";
  const roots = shown.sessions.filter((session) => session.parent_id === null || isAlone(session));
  return {
    name: "Rollcall",
    sessions: new Map(
      roots.map((session) => [
        session.native_id,
        countedIn(isAlone(session) ? session.usage : session.usage_with_children),
      ]),
    ),
    steps,
  };
}

function countedIn(usage: Usage): Counted {
  return {
    input: usage.tokens_input ?? 0,
    output: usage.tokens_output ?? 0,
    cacheRead: usage.tokens_cache_read ?? 0,
    cacheWrite: usage.tokens_cache_write ?? 0,
    costUsd: usage.cost_usd ?? 0,
  };
}
