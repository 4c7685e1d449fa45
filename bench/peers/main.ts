// Rollcall beside another program that counts the tokens of the same files: `npm run peers`. Both run offline, on trees
// whose truth is known. Nothing is judged here; the figures are for people. The peer only counts, and is much faster at a
// plain scan: an import also keeps every entry and its search index.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { costOfAll } from "../../src/testing/history/cost.ts";
import { SEEDS, seedsBelow } from "../../src/testing/history/seeds.ts";
import { generateTree } from "../../src/testing/history/tree.ts";
import { type HistoryAgent, type SessionTruth, sumOf } from "../../src/testing/history/truth.ts";
import { folderOf, writeFiles } from "../../src/testing/history/write-tree.ts";
import { writePlainTree } from "../plain-tree.ts";
import { installCcusage } from "./ccusage.ts";
import { runRollcall } from "./rollcall.ts";
import { type Counted, isSameCost, isSameTokens, NOTHING, plus, totalOf } from "./run.ts";

const PLAIN = { sessions: 400, requests: 150 };

const runCcusage = await installCcusage();
const temp = mkdtempSync(join(tmpdir(), "rollcall-peers-"));
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => rmSync(temp, { recursive: true, force: true }));

const traps = join(temp, "traps");
const truth = writeTraps(traps);
for (const agent of ["claude", "codex"] as const)
  compare(`${SEEDS} generated trees with every trap: ${agent}`, join(traps, agent), truth[agent]);
const plain = join(temp, "plain");
const { bytes, totals } = writePlainTree(folderOf(plain, "claude"), PLAIN);
const title = `a plain tree of ${PLAIN.sessions} sessions, ${Math.round(bytes / 1e6)} MB, without any trap`;
compare(title, plain, new Map([["all", { ...totals, costUsd: Number.NaN }]]));

/** The peers are compared on the histories that all of them read. */
type Compared = Exclude<HistoryAgent, "gemini">;

/** The truth of each session with its sub-agents, by the name that the agent gave it. Each agent has a tree of its own. */
function writeTraps(root: string): Record<Compared, Map<string, Counted>> {
  const truth: Record<Compared, Map<string, Counted>> = {
    claude: new Map<string, Counted>(),
    codex: new Map<string, Counted>(),
  };
  for (const seed of seedsBelow(SEEDS)) {
    const { files, sessions } = generateTree(seed);
    for (const agent of ["claude", "codex"] as const)
      writeFiles(
        join(root, agent),
        files.filter((file) => file.agent === agent),
      );
    const byId = new Map(sessions.map((session) => [session.nativeId, session]));
    for (const session of sessions) {
      const [id, known] = [rootOf(session, byId), truth[session.agent as Compared]];
      known.set(id, plus(known.get(id) ?? NOTHING, truthIn(session)));
    }
  }
  return truth;
}

function rootOf(session: SessionTruth, byId: ReadonlyMap<string, SessionTruth>): string {
  // The peer shows a sub-agent of Codex as a session of its own, and so it is compared.
  const parent = session.agent === "codex" || session.parent === null ? undefined : byId.get(session.parent);
  return parent === undefined ? session.nativeId : rootOf(parent, byId);
}

function truthIn({ requests }: SessionTruth): Counted {
  const { input, output, cacheRead, cacheWrite } = sumOf(requests);
  return { input, output, cacheRead, cacheWrite, costUsd: (costOfAll(requests) ?? 0) / 1e9 };
}

function compare(what: string, root: string, truth: ReadonlyMap<string, Counted>): void {
  console.log(`\n${what}`);
  const isWhole = truth.has("all");
  const all = totalOf(truth);
  console.log(`  ${"truth".padEnd(18)}${show(all)}${isWhole ? "" : `  ${truth.size} sessions`}`);
  const ours = runRollcall(root, join(root, "rollcall"));
  for (const run of [ours, runCcusage(root)]) {
    const exact = [...truth].filter(([id, counted]) =>
      isSameTokens(run.sessions.get(id) ?? NOTHING, counted),
    );
    const priced = exact.filter(([id, counted]) => isSameCost(run.sessions.get(id) ?? NOTHING, counted));
    const total = totalOf(run.sessions);
    const verdict = isWhole
      ? `  totals ${isSameTokens(total, all) ? "exact" : "wrong"}`
      : `  ${exact.length} of ${truth.size} sessions exact in tokens, ${priced.length} in cost too`;
    console.log(`  ${run.name.padEnd(18)}${show(total)}${verdict}`);
    console.log(
      `  ${"".padEnd(18)}${run.steps.map(({ name, ms }) => `${name} ${Math.round(ms)} ms`).join(", ")}`,
    );
  }
}

function show({ input, output, cacheRead, cacheWrite, costUsd }: Counted): string {
  const tokens = `${input} in, ${output} out, ${cacheRead} read, ${cacheWrite} written`;
  return Number.isNaN(costUsd) ? tokens : `${tokens}, $${costUsd.toFixed(6)}`;
}
