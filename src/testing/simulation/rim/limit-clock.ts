import { isTimeLimit, type TimeLimitKind } from "../../../domain/limits/limit.ts";
import type { SessionRow } from "../../../domain/session/session.ts";
import { isCounting } from "../../../domain/supervise/decide-limit.ts";
import type { Observation } from "../../../domain/supervise/observation.ts";
import type { World } from "../world.ts";
import type { Timers } from "./timers.ts";

/** Observes how much of each limit of one launch is used up, as the daemon's own `Limits` does. */
export class LimitClock {
  readonly #world: World;
  readonly #timers: Timers;
  readonly #observe: (observation: Observation) => void;
  readonly #armed = new Map<TimeLimitKind, () => void>();
  #stateSince: string | undefined;
  #changedMs = 0;

  constructor(world: World, timers: Timers, observe: (observation: Observation) => void) {
    this.#world = world;
    this.#timers = timers;
    this.#observe = observe;
  }

  /** After each change: arms what can run out now, and disarms what no longer can. */
  follow(row: SessionRow): void {
    if (row.stateSince !== this.#stateSince) this.#changedMs = this.#world.nowMs;
    this.#stateSince = row.stateSince;
    for (const { kind } of (row.carried?.launch.limits ?? []).filter(isTimeLimit)) {
      if (!isCounting(kind, row)) this.#disarm(kind);
      else if (kind === "idle_timeout" || !this.#armed.has(kind)) this.check(row, kind, 0);
    }
  }

  check(
    { id, generation }: Pick<SessionRow, "id" | "generation">,
    kind: TimeLimitKind,
    afterMs: number,
  ): void {
    this.#disarm(kind);
    const fire = () => {
      this.#armed.delete(kind);
      this.#look(this.#world.store.row(id), generation, kind);
    };
    this.#armed.set(kind, this.#timers.set(this.#world.nowMs + afterMs, fire));
  }

  #disarm(kind: TimeLimitKind): void {
    this.#armed.get(kind)?.();
    this.#armed.delete(kind);
  }

  #look(row: SessionRow, generation: number, kind: TimeLimitKind): void {
    const limit = row.carried?.launch.limits.filter(isTimeLimit).find((one) => one.kind === kind);
    const agent = this.#world.launchOf(row.id, generation)?.agent;
    if (!limit || !agent || !row.process || row.generation !== generation || !isCounting(kind, row)) return;
    const ageMs = this.#world.nowMs - agent.bornMs;
    const idleMs = Math.min(ageMs, this.#world.nowMs - this.#changedMs);
    const passedMs = kind === "timeout" ? ageMs : idleMs;
    this.#world.count("limit looked at");
    this.#observe({ saw: "limit_passed", limit, passedMs, graceMs: 10_000 });
  }
}
