import type { ProcessIdentity } from "../../domain/session/session.ts";
import type { TreeExit } from "../../domain/supervise/observation.ts";
import { toInstant } from "../../domain/time.ts";
import type { Proc, ProcessTable } from "./process-table.ts";
import type { Random } from "./random.ts";
import { type Status, TreeEnding } from "./tree-ending.ts";

export type HolderMessage = { readonly says: "exit"; readonly exit: TreeExit } | { readonly says: "gone" };

/** The output of the program that starts a holder; `none` if it dies first. */
export type Word = "ok" | "failed" | "none";

interface HolderFile {
  readonly bootId: string;
  readonly guard: ProcessIdentity;
  readonly holder: ProcessIdentity;
  readonly agent: ProcessIdentity;
}

interface Folder {
  holder: HolderFile | null;
  exit: TreeExit | null;
  isRemoved: boolean;
}

type Life = "launching" | "gate" | "running" | "quieting" | "keeping" | "ending" | "draining" | "over";

interface Place {
  readonly table: ProcessTable;
  readonly random: Random;
  readonly nowMs: () => number;
}

interface LaunchPlan {
  readonly marker: string;
  readonly sessionId: string;
  readonly generation: number;
  readonly keepsChildren: boolean;
  readonly execFails: boolean;
}

const GRACE_MS = 10_000;

/** The guard, the holder, the agent and the folder of one launch, as `native/README.md` tells. */
export class Launch {
  readonly plan: LaunchPlan;
  readonly #place: Place;
  readonly folder: Folder = { holder: null, exit: null, isRemoved: false };
  readonly guard: Proc;
  holder: Proc | null = null;
  agent: Proc | null = null;
  /** How the agent really ended. */
  status: Status | null = null;
  /** The last that was written, also after the folder is gone. */
  lastExit: TreeExit | null = null;
  isWiped = false;
  /** Its children were left alive on purpose. */
  wasKept = false;
  onMessage: ((message: HolderMessage) => void) | null = null;
  onWord: ((word: Word) => void) | null = null;
  #life: Life = "launching";
  #exited: Status | null = null;
  #reason: TreeExit["reason"] = "exited";
  #ending: TreeEnding | null = null;
  #isGuardEnding = false;
  #isEndWanted = false;

  constructor(plan: LaunchPlan, place: Place) {
    this.plan = plan;
    this.#place = place;
    this.guard = place.table.spawn({ role: "guard", marker: plan.marker });
  }

  /** Living processes that are the session's own. */
  tree(): Proc[] {
    const own = this.#place.table.ofLaunch(this.plan.marker);
    return own.filter(({ role }) => role === "agent" || role === "child");
  }

  /** The command runs, and is not stopped. */
  isActing(): boolean {
    const isBefore = this.#life === "launching" || this.#life === "gate";
    return !isBefore && this.agent?.isAlive === true && !this.agent.isStopped;
  }

  isListening(): boolean {
    return this.holder?.isAlive === true && this.#life !== "launching" && this.#life !== "over";
  }

  /** The exit as `status` reports it; null while the agent lives. */
  exitSoFar(): TreeExit | null {
    return this.#exited === null ? null : this.lastExit;
  }

  /** One step of whoever carries the agent now; false where there is nothing to do at this time. */
  advance(): boolean {
    if (this.holder?.isAlive) return this.#stepHolder();
    if (!this.guard.isAlive) return false;
    if (this.holder !== null) return this.#stepGuard();
    this.holder = this.#place.table.spawn({ role: "holder", marker: this.plan.marker });
    return true;
  }

  /** When the next step is due that waits for time alone. */
  dueAt(): number | null {
    const isWatched = this.holder?.isAlive || this.guard.isAlive;
    return isWatched ? (this.#ending?.dueAt() ?? null) : null;
  }

  /** Asked over the socket or by a file; again is harmless. */
  askEnd(graceMs: number): void {
    if (this.#life === "draining" || this.#life === "over") return;
    this.#isEndWanted = true;
    if (this.#life === "launching" || this.#life === "gate" || !this.holder?.isAlive) return;
    if (this.#exited === null) this.#reason = "asked";
    this.#beginEnding(graceMs);
  }

  killHolder(): void {
    if (!this.holder?.isAlive) return;
    this.#place.table.die(this.holder);
    if (this.#life === "gate") this.exitAgent({ code: 1, signal: null });
    this.#hangUp();
  }

  killGuard(): void {
    this.#place.table.die(this.guard);
    if (this.holder === null) this.#say("none");
  }

  exitAgent(status: Status): void {
    if (!this.agent?.isAlive) return;
    this.status = status;
    this.#place.table.die(this.agent);
  }

  removeFolder(): void {
    Object.assign(this.folder, { holder: null, exit: null, isRemoved: true });
  }

  breakConnection(): void {
    const tell = this.onMessage;
    this.onMessage = null;
    tell?.({ says: "gone" });
  }

  #stepHolder(): boolean {
    if (this.#life === "launching") return this.#prepare();
    if (this.#life === "gate") return this.#passGate();
    if (this.#life === "draining") return this.#leave();
    if (this.#hasUnreaped()) return this.#takeAgentExit();
    if (this.#exited !== null && this.tree().length === 0) return this.#proveEmpty();
    if (this.#life === "ending") return this.#ending?.step() ?? false;
    if (this.#life !== "quieting") return false;
    this.#beginEnding(GRACE_MS);
    return true;
  }

  #prepare(): boolean {
    if (this.folder.isRemoved) return this.#giveUp();
    const { table, random } = this.#place;
    const ignoresTerm = random.chance(0.2);
    this.agent = table.spawn({ role: "agent", marker: this.plan.marker, ignoresTerm });
    this.folder.holder = {
      bootId: table.bootId,
      guard: identityOf(this.guard),
      holder: identityOf(this.holder as Proc),
      agent: identityOf(this.agent),
    };
    this.#life = "gate";
    return true;
  }

  #giveUp(): boolean {
    this.#life = "over";
    this.#place.table.die(this.holder as Proc);
    this.#place.table.die(this.guard);
    this.#say("failed");
    return true;
  }

  #passGate(): boolean {
    if (this.plan.execFails) {
      this.exitAgent({ code: null, signal: null });
      this.#reason = "exec_failed";
      this.#takeAgentExit();
      return true;
    }
    this.#life = "running";
    this.#say("ok");
    if (this.#isEndWanted) this.askEnd(GRACE_MS);
    return true;
  }

  #hasUnreaped(): boolean {
    return this.agent?.isAlive === false && this.#exited === null;
  }

  #takeAgentExit(): boolean {
    const isKeeping = this.plan.keepsChildren && this.#life === "running";
    this.#exited = this.status;
    this.wasKept = isKeeping;
    this.#write(isKeeping ? "kept" : "ending");
    if (this.#life !== "ending") this.#life = isKeeping ? "keeping" : "quieting";
    return true;
  }

  #beginEnding(graceMs: number): void {
    this.#life = "ending";
    if (this.#ending === null) this.#ending = this.#newEnding(graceMs);
    else this.#ending.shorten(graceMs);
  }

  #newEnding(graceMs: number): TreeEnding {
    const { random, nowMs, table } = this.#place;
    const end = (proc: Proc, status: Status) =>
      proc === this.agent ? this.exitAgent(status) : table.die(proc);
    const tellBlocked = () => this.#write("blocked");
    return new TreeEnding({ random, nowMs, tree: () => this.tree(), end, tellBlocked }, graceMs);
  }

  #proveEmpty(): boolean {
    this.#life = "draining";
    this.#write("empty");
    if (this.#reason === "exec_failed") this.#say("failed");
    return true;
  }

  #leave(): boolean {
    this.#life = "over";
    this.#place.table.die(this.holder as Proc);
    this.#hangUp();
    return true;
  }

  /** The holder is gone: the guard does the rest. */
  #stepGuard(): boolean {
    if (this.#life === "over" || this.agent === null) return this.#endGuard();
    if (this.#exited === null) this.#reason = "holder_lost";
    if (!this.#isGuardEnding) {
      this.#isGuardEnding = true;
      this.#ending = this.#newEnding(GRACE_MS);
      return true;
    }
    if (this.#hasUnreaped()) {
      this.#exited = this.status;
      this.#write("ending");
      return true;
    }
    if (this.tree().length > 0) return this.#ending?.step() ?? false;
    this.#write("empty");
    return this.#endGuard();
  }

  #endGuard(): boolean {
    this.#life = "over";
    this.#place.table.die(this.guard);
    this.#say("none");
    return true;
  }

  #write(state: TreeExit["tree"]["state"]): void {
    const exited = this.#exited;
    const hasNames = state === "kept" || state === "blocked";
    const remaining = hasNames ? this.tree().map(({ pid }) => pid) : [];
    const exit: TreeExit = {
      agent: {
        code: exited?.code ?? null,
        signal: exited?.signal ?? null,
        at: exited === null ? null : toInstant(this.#place.nowMs()),
      },
      reason: this.#reason,
      error: this.#reason === "exec_failed" ? "ENOENT" : null,
      tree: { state, killed: this.#ending?.killed ?? 0, remaining },
    };
    if (!this.folder.isRemoved) {
      this.folder.exit = exit;
      this.lastExit = exit;
    }
    this.onMessage?.({ says: "exit", exit });
  }

  #say(word: Word): void {
    const tell = this.onWord;
    this.onWord = null;
    tell?.(word);
  }

  #hangUp(): void {
    this.#say("none");
    this.breakConnection();
  }
}

export function identityOf({ pid, startTime, bootId }: Proc): ProcessIdentity {
  return { pid, startTime, bootId };
}
