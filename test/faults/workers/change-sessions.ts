import { writeSync } from "node:fs";
import { openRollcall, type Rollcall, RollcallError } from "../../../src/index.ts";

/**
 * One of many that change a store at once: sessions of its own from creation to the end, and in between what
 * everyone shares. Says each change that was acknowledged; `finalized` is the one refusal to expect.
 */
export type Said =
  | { readonly did: "begin" }
  | { readonly did: "create" | "phase" | "error"; readonly id: string }
  | { readonly did: "metadata"; readonly id: string; readonly key: string }
  | { readonly did: "finalize"; readonly id: string; readonly phase: string }
  | { readonly did: "refused"; readonly id: string; readonly what: string; readonly phase: string }
  | { readonly did: "failed"; readonly code: string | null; readonly message: string };

const WORDS = ["completed", "failed", "abandoned"] as const;
const PHASES = ["investigating", "planning", "approval", "executing"] as const;

if (import.meta.main) {
  const [home, workspace, index, rounds, ...shared] = process.argv.slice(2) as [
    string,
    string,
    string,
    string,
  ];
  // Everyone begins at the same moment: the first line on stdin.
  say({ did: "begin" });
  await new Promise((resolve) => process.stdin.once("data", resolve));
  try {
    await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
    await changeAll(rollcall, Number(index), Number(rounds), shared);
  } catch (error) {
    const code = error instanceof RollcallError ? error.code : null;
    say({ did: "failed", code, message: String((error as Error).stack) });
  }
  process.stdin.destroy();
}

async function changeAll(
  rollcall: Rollcall,
  index: number,
  rounds: number,
  shared: readonly string[],
): Promise<void> {
  const word = WORDS[index % 3] ?? "failed";
  for (let round = 0; round < rounds; round++) {
    const { id } = await rollcall.create({ agentName: `worker-${index}` });
    say({ did: "create", id });
    await change(rollcall, id, `own-${round}`, round);
    for (const common of shared) await change(rollcall, common, `p${index}-${round}`, round);
    await finalize(rollcall, id, word);
    // The last quarter of the work meets shared sessions that are final already.
    if (round === Math.floor(rounds * 0.75))
      for (const common of shared) await finalize(rollcall, common, word);
  }
}

async function change(rollcall: Rollcall, id: string, key: string, round: number): Promise<void> {
  const phase = PHASES[round % PHASES.length] ?? "planning";
  const done = await Promise.all([
    attempt(id, "phase", () => rollcall.update(id, { phase })),
    attempt(id, "metadata", () => rollcall.update(id, { metadata: { [key]: round } })),
    attempt(id, "error", () => rollcall.update(id, { error: `error ${key}` })),
  ]);
  if (done[0]) say({ did: "phase", id });
  if (done[1]) say({ did: "metadata", id, key });
  if (done[2]) say({ did: "error", id });
}

async function finalize(rollcall: Rollcall, id: string, phase: (typeof WORDS)[number]): Promise<void> {
  if (await attempt(id, phase, () => rollcall.finalize(id, phase))) say({ did: "finalize", id, phase });
}

async function attempt(id: string, what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof RollcallError) || error.code !== "finalized") throw error;
    say({ did: "refused", id, what, phase: String(error.facts.phase) });
    return false;
  }
}

function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}
