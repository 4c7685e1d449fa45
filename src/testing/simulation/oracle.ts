import { isTimeLimit, type TimeLimitKind } from "../../domain/limits/limit.ts";
import type { SessionEvent } from "../../domain/session/event.ts";
import type { Outcome } from "../../domain/session/outcome.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded, isLive } from "../../domain/session/state.ts";
import type { StampedObservation } from "../../domain/supervise/supervise.ts";
import { illegalities, illegalStep } from "../legal-session.ts";
import { checkEnd, type Ledger } from "./check-end.ts";
import type { Launch } from "./launch.ts";
import type { Proc } from "./process-table.ts";
import type { Daemon, Judge, World } from "./world.ts";

const LOSSES: readonly (string | null)[] = ["holder_lost", "machine_reboot", "no_process", "not_proven"];

export class Oracle implements Judge {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #ledgers = new Map<string, Ledger>();

  constructor(world: World) {
    this.#world = world;
  }

  #ledgerOf({ id, generation }: SessionRow): Ledger {
    const key = `${id}/${generation}`;
    const known = this.#ledgers.get(key);
    if (known) return known;
    const ledger: Ledger = { cause: null, byTurn: "interrupted", outcome: null, limit: null, ends: 0 };
    this.#ledgers.set(key, ledger);
    return ledger;
  }

  fail(what: string): void {
    this.violations.push(what);
    this.#world.log(() => `VIOLATION ${what}`);
  }

  signalled(proc: Proc, marker: string): void {
    if (proc.marker !== marker) this.fail(`a stranger was signalled: pid ${proc.pid} (${proc.role})`);
  }

  stored(before: SessionRow | null, event: SessionEvent, after: SessionRow): void {
    const broken = [...illegalities(after), ...(before ? illegalStep(before, event, after) : [])];
    for (const rule of broken) this.fail(`${after.id}: ${rule}`);
    const { body } = event;
    const ledger = this.#ledgerOf(after);
    if (body.kind === "lost") this.#world.count(`recorded: unknown ${body.endReason}`);
    if (body.kind === "silent") this.#world.count("recorded: unknown not_ready");
    if ("evidence" in body && body.evidence.rule === "not_proven") this.#checkUnproven(after);
    if (body.kind !== "ended") return;
    this.#world.count(`recorded: ${body.state} ${ledger.cause ?? "left"}`);
    ledger.ends += 1;
    if (ledger.ends > 1) this.fail(`${after.id}: ended twice in generation ${after.generation}`);
    else checkEnd(this.#world, ledger, before ?? after, after);
  }

  decided(before: SessionRow, { observation, generation }: StampedObservation, after: SessionRow): void {
    if (generation !== before.generation) {
      if (after !== before) this.fail(`${after.id}: a late ${observation.saw} changed something`);
      return;
    }
    const ledger = this.#ledgerOf(before);
    if (isEnded(before.state)) return;
    if (after.carried?.ending?.how === "left") ledger.cause ??= "left";
    if (observation.saw === "end_asked") this.#noteAsked(before, ledger, observation.outcome);
    const isLimited = observation.saw === "limit_passed" && observation.passedMs >= observation.limit.allowed;
    if (!isLimited || ledger.cause !== null || !canRunOut(observation.limit.kind, before)) return;
    ledger.cause = "limit";
    ledger.limit = observation.limit.kind;
  }

  #noteAsked(before: SessionRow, ledger: Ledger, outcome: Outcome | undefined): void {
    const ending = before.state === "stopping" ? before.carried?.ending : null;
    const isFailure = ending?.how === "left" && !ending.clean;
    if (ledger.cause === "left" && before.state !== "stopping") ledger.cause = null;
    if (ledger.cause === null) {
      ledger.cause = "asked";
      ledger.byTurn = byTurn(before);
    }
    if (outcome !== undefined && !isFailure) ledger.outcome = outcome;
  }

  /** Nobody says that an end is not proven while someone can prove it. */
  #checkUnproven(row: SessionRow): void {
    const launch = this.#world.currentLaunch(row);
    if (!launch || !isUnproven(launch)) this.fail(`${row.id}: not proven, and it is`);
  }

  checkNow(): void {
    for (const id of this.#world.store.ids()) {
      const row = this.#world.store.row(id);
      if (!isEnded(row.state)) continue;
      const living = this.#world.launches.filter(
        (launch) => launch.plan.sessionId === id && !launch.wasKept && isLeft(launch),
      );
      if (living.length > 0) this.fail(`${id}: ${row.state}, and a process of it lives`);
    }
  }

  checkIdle({ steps }: Daemon): void {
    for (const id of this.#world.store.ids()) {
      const row = this.#world.store.row(id);
      const launch = this.#world.currentLaunch(row);
      if (launch?.onMessage && launch.agent?.isAlive && !steps.isWaiting(id))
        this.#checkPaused(row, launch.agent);
    }
  }

  checkQuiet(): void {
    for (const id of this.#world.store.ids()) this.#checkSettled(this.#world.store.row(id));
  }

  #checkSettled(row: SessionRow): void {
    const launch = this.#world.currentLaunch(row);
    const told = `${row.id}: ${row.state} (${row.endReason})`;
    if (!launch?.agent?.isAlive) {
      if (isLive(row.state)) this.fail(`${told}, and its agent is dead`);
      if (row.state === "unknown" && !LOSSES.includes(row.endReason)) this.fail(`${told} without a loss`);
      this.#checkLoss(row);
      return;
    }
    if (!launch.isListening()) this.fail(`${told}, its agent lives and nobody holds it`);
    if (row.state === "unknown" && !isSilent(row)) this.fail(`${told}, and its holder lives`);
    if (row.state === "stopping") this.fail(`${told}, and nothing happens`);
    for (const { kind } of (row.carried?.launch.limits ?? []).filter(isTimeLimit))
      if (canRunOut(kind, row)) this.fail(`${told}, and its ${kind} was never used up`);
    this.#checkPaused(row, launch.agent);
  }

  #checkPaused({ id, state }: SessionRow, { isStopped }: Proc): void {
    if (isLive(state) && state !== "stopping" && (state === "paused") !== isStopped)
      this.fail(`${id}: ${state}, and its agent is ${isStopped ? "stopped" : "not stopped"}`);
  }

  /** Where the end is known it is told, and where it is wished for it is reached. */
  #checkLoss(row: SessionRow): void {
    if (row.state !== "unknown") return;
    const launch = this.#world.currentLaunch(row);
    const { cause } = this.#ledgerOf(row);
    if (row.endReason === "not_proven") return;
    if (cause === "asked" || cause === "limit")
      this.fail(`${row.id}: unknown after an end that was ${cause}`);
    const exit = launch?.lastExit;
    const isKnown = exit && exit.agent.at !== null && exit.reason !== "holder_lost" && !launch.isWiped;
    if (isKnown) this.fail(`${row.id}: unknown, and its exit is written`);
  }
}

/** After a launch has lost holder and guard, the record must name the processes that no marker finds. */
function isLeft(launch: Launch): boolean {
  return launch.tree().some(({ marker }) => marker !== null || !isUnproven(launch));
}

/** Nobody can prove that its tree is empty: holder and guard were killed before, or their exit file is gone. */
function isUnproven({ agent, guard, holder, folder }: Launch): boolean {
  const state = folder.exit?.tree.state;
  return agent !== null && !holder?.isAlive && !guard.isAlive && state !== "empty" && state !== "kept";
}

function isSilent({ state, endReason }: SessionRow): boolean {
  return state === "unknown" && endReason === "not_ready";
}

const BY_TURN = { good: "success", aborted: "interrupted", failed: "failure" } as const;

function byTurn({ state, waiting, carried }: SessionRow): Outcome {
  const seen = state === "paused" ? carried?.pausedFrom?.waiting : waiting;
  return seen?.for === "prompt" && carried?.lastTurn ? BY_TURN[carried.lastTurn] : "interrupted";
}

/** Whether a limit may end a session that is in this state, said once more in other words than the daemon's. */
function canRunOut(kind: TimeLimitKind, row: SessionRow): boolean {
  const { state, waiting } = row;
  if (state === "stopping" || !(isLive(state) || isSilent(row))) return false;
  const isIdle = state === "running" || (state === "waiting_input" && waiting?.for === "prompt");
  return kind === "timeout" || isIdle;
}
