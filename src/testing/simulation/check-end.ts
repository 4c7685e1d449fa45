import type { LastTurn, Outcome } from "../../domain/session/outcome.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { World } from "./world.ts";

/** The history of one generation, noted beside the code under test. */
export interface Ledger {
  /** How the end began, where it did not begin with the agent's own exit. */
  cause: "asked" | "limit" | "left" | null;
  /** The outcome of an end that was asked for, by its turns. */
  byTurn: Outcome;
  /** Given with `end --outcome`. */
  outcome: Outcome | null;
  limit: string | null;
  ends: number;
}

const BY_TURN = { good: "success", aborted: "interrupted", failed: "failure" } as const;

/** Whether a recorded end is the real one. */
export function checkEnd(world: World, ledger: Ledger, before: SessionRow, row: SessionRow): void {
  const { cause, limit, outcome: given } = ledger;
  const fail = (what: string) => world.oracle.fail(what);
  const launch = world.currentLaunch(row);
  const told = `${row.id}: ${row.state}, ${row.outcome}, exit ${row.exitCode ?? row.exitSignal}`;
  const real = launch?.status ?? null;
  const isTold = row.exitCode !== null || row.exitSignal !== null;
  const isReal = row.exitCode === (real?.code ?? null) && row.exitSignal === (real?.signal ?? null);
  if (isTold && !isReal) fail(`${told}, and really ${real?.code ?? real?.signal ?? "nothing"}`);
  if (!isTold && launch?.folder.exit?.agent.at && !isReal) fail(`${told}, and it is written`);
  const wasWished = cause === "asked" || cause === "limit";
  const state = wasWished || real?.code === 0 ? "stopped" : "failed";
  if (row.state !== state) fail(`${told}: should be ${state} (${cause})`);
  const outcome = expectedOutcome(ledger, before, {
    tellsTurns: world.specs.get(row.id)?.tellsTurns ?? false,
    isClean: real?.code === 0,
  });
  if (row.outcome !== outcome) fail(`${told}: the outcome should be ${outcome} (${cause})`);
  if (cause === "limit" && row.endReason !== limit) fail(`${told}: the reason ${limit} is not kept`);
  const isWordEnough = wasWished || given !== null || isLaunchFailure(row);
  if (!isTold && !isWordEnough) fail(`${told}: how does it know?`);
}

function expectedOutcome(
  { cause, byTurn, outcome }: Ledger,
  before: SessionRow,
  { tellsTurns, isClean }: { readonly tellsTurns: boolean; readonly isClean: boolean },
): Outcome | null {
  if (cause === "asked") return outcome ?? byTurn;
  if (cause === "limit") return outcome ?? "interrupted";
  if (!isClean) return "failure";
  if (outcome !== null) return outcome;
  if (!tellsTurns) return "success";
  const lastTurn = turnBefore(before);
  return lastTurn === null ? null : BY_TURN[lastTurn];
}

/** A turn that was left in its middle did not go well. */
function turnBefore({ state, turn, carried }: SessionRow): LastTurn {
  if (state === "stopping" && carried?.ending?.how === "left") return carried.ending.lastTurn;
  return turn !== null && turn.state !== "done" && !turn.isCommand ? "aborted" : (carried?.lastTurn ?? null);
}

function isLaunchFailure({ endReason }: SessionRow): boolean {
  return endReason === "launch_failed" || endReason === "exec_failed";
}
