import type { ProcessIdentity } from "../../domain/session/session.ts";
import type { Random } from "./random.ts";

export type Role = "guard" | "holder" | "agent" | "child" | "stranger";

/** A process as the world knows it: `uid` is never used twice, whatever its pid and start time say. */
export interface Proc extends ProcessIdentity {
  readonly uid: number;
  readonly role: Role;
  /** The marker in its environment. */
  readonly marker: string | null;
  /** The launch that it really belongs to: who empties its environment still descends from the holder. */
  readonly launch: string | null;
  readonly ignoresTerm: boolean;
  /** By the clock that nobody can set. */
  readonly bornMs: number;
  isAlive: boolean;
  isStopped: boolean;
  /** In a call that no signal interrupts. */
  isStuck: boolean;
  /** Has been asked to leave. */
  hasTerm: boolean;
}

export type Birth = Pick<Proc, "role" | "marker"> & Partial<Pick<Proc, "ignoresTerm" | "isStuck">>;

const FIRST_PID = 100;
const PIDS = 60;
const HIDING = 7;

/** Pids are used again as soon as they are free, and often by someone else's process with the same start time. */
export class ProcessTable {
  readonly #random: Random;
  readonly #nowMs: () => number;
  /** How coarse start times are. A coarse one makes pid and start time together ambiguous. */
  readonly #tickMs: number;
  readonly #living = new Map<number, Proc>();
  #freed: number[] = [];
  #boots = 0;
  #bootedAt = 0;
  #born = 0;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
    this.#tickMs = random.pick([10, 1000, 1_000_000]);
  }

  get bootId(): string {
    return `boot-${this.#boots}`;
  }

  spawn({ role, marker, ignoresTerm = false, isStuck = false }: Birth): Proc {
    const proc: Proc = {
      uid: ++this.#born,
      pid: this.#freePid(),
      startTime: String(Math.floor((this.#nowMs() - this.#bootedAt) / this.#tickMs)),
      bootId: this.bootId,
      role,
      marker: this.#hidesMarker(role) ? null : marker,
      launch: marker,
      ignoresTerm,
      bornMs: this.#nowMs(),
      isAlive: true,
      isStopped: false,
      isStuck,
      hasTerm: false,
    };
    this.#living.set(proc.pid, proc);
    return proc;
  }

  /** Some children run with an empty environment. Not by chance: the worlds of known seeds stay what they were. */
  #hidesMarker(role: Role): boolean {
    return role === "child" && this.#born % HIDING === 0;
  }

  /** A stranger may have the pid before anyone notices the death. */
  die(proc: Proc): void {
    if (!proc.isAlive) return;
    proc.isAlive = false;
    this.#living.delete(proc.pid);
    this.#freed.push(proc.pid);
    if (proc.role !== "stranger" && this.#random.chance(0.6)) this.spawn({ role: "stranger", marker: null });
  }

  find(pid: number): Proc | undefined {
    return this.#living.get(pid);
  }

  living(): Iterable<Proc> {
    return this.#living.values();
  }

  ofMarker(marker: string): Proc[] {
    return [...this.#living.values()].filter((proc) => proc.marker === marker);
  }

  ofLaunch(marker: string): Proc[] {
    return [...this.#living.values()].filter((proc) => proc.launch === marker);
  }

  reboot(): void {
    for (const proc of this.#living.values()) proc.isAlive = false;
    this.#living.clear();
    this.#freed = [];
    this.#boots += 1;
    this.#bootedAt = this.#nowMs();
  }

  #freePid(): number {
    const last = this.#random.chance(0.85) ? this.#freed.pop() : undefined;
    if (last !== undefined && !this.#living.has(last)) return last;
    for (;;) {
      const pid = FIRST_PID + this.#random.int(PIDS + this.#living.size);
      if (!this.#living.has(pid)) return pid;
    }
  }
}
