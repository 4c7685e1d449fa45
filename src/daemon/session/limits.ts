import { isTimeLimit, type TimeLimit, type TimeLimitKind } from "../../domain/limits/limit.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isCounting } from "../../domain/supervise/decide-limit.ts";
import { timerMs } from "../../domain/time.ts";
import { durationOf } from "../../home/settings.ts";
import { ageMsOf } from "../../machine/proc.ts";
import type { Facts, HolderPort, Logs, Loop, Settings, WallClock } from "./ports.ts";

interface Ports extends Facts, Logs, Settings, WallClock, HolderPort, Pick<Loop, "observe" | "row"> {}

/**
 * Observes how much of each limit is used up, by clocks that nobody can set: the age of the process, and the holder's
 * time since the last byte. What follows from it is decided elsewhere.
 */
export class Limits {
  readonly #session: Ports;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stateSince: string | undefined;
  /** When the state changed last: a session that was paused or asked begins anew, one that only lost its daemon does not. */
  #changedMs = 0;

  constructor(session: Ports) {
    this.#session = session;
  }

  /** After each change: arms what can run out now, and disarms what no longer can. */
  follow(row: SessionRow): void {
    if (row.stateSince !== this.#stateSince) this.#changedMs = performance.now() - this.#missedMs(row);
    this.#stateSince = row.stateSince;
    const isLoading = row.state === "starting" || row.state === "resuming";
    const leftMs = Math.max(0, this.#readyMs - (performance.now() - this.#changedMs));
    if (isLoading) this.#armOnce("ready", leftMs, () => this.#notReady());
    else this.#clear("ready");
    for (const limit of this.#limits) this.#followLimit(limit, row);
  }

  /** Observes again after this time how much of a limit is used up. */
  check(kind: TimeLimitKind, afterMs: number): void {
    const limit = this.#limits.find((one) => one.kind === kind);
    if (!limit) return;
    this.#clear(kind);
    this.#armOnce(kind, afterMs, () => this.#observe(limit));
  }

  /** Limits that a clock uses up. */
  get #limits(): readonly TimeLimit[] {
    return this.#session.carrying.launch.limits.filter(isTimeLimit);
  }

  stop(): void {
    for (const name of [...this.#timers.keys()]) this.#clear(name);
  }

  /** Idle time begins anew with each change; the age of a session does not. */
  #followLimit({ kind }: TimeLimit, row: SessionRow): void {
    if (!isCounting(kind, row)) this.#clear(kind);
    else if (kind === "idle_timeout" || !this.#timers.has(kind)) this.check(kind, 0);
  }

  /** A daemon that comes back finds a state that is older than itself. */
  #missedMs({ stateSince }: SessionRow): number {
    if (this.#stateSince !== undefined) return 0;
    return Math.max(0, this.#session.now() - Date.parse(stateSince));
  }

  #armOnce(name: string, ms: number, fire: () => Promise<void>): void {
    if (this.#timers.has(name)) return;
    this.#timers.set(
      name,
      setTimeout(() => {
        this.#timers.delete(name);
        void fire().catch((error: unknown) =>
          this.#session.log.error({ session: this.#session.id, err: error }, "a timer failed"),
        );
      }, timerMs(ms)),
    );
  }

  #clear(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  async #observe(limit: TimeLimit): Promise<void> {
    const passedMs = await this.#passedMs(limit.kind);
    if (passedMs === undefined) return;
    const graceMs = durationOf(this.#session.config, "end.grace");
    await this.#session.observe({ saw: "limit_passed", limit, passedMs, graceMs });
  }

  /** Undefined where it does not count any more: the state may have changed since the timer was set. */
  async #passedMs(kind: TimeLimitKind): Promise<number | undefined> {
    const row = await this.#session.row();
    if (!row?.process || !isCounting(kind, row)) return undefined;
    const age = ageMsOf(row.process);
    if (kind === "timeout") return age;
    const status = await this.#session.holder.status();
    // A holder that cannot answer now is asked again.
    if (!status) return 0;
    const sinceChange = performance.now() - this.#changedMs;
    return Math.min(status.lastInputMsAgo ?? age, status.lastOutputMsAgo ?? age, age, sinceChange);
  }

  async #notReady(): Promise<void> {
    await this.#session.observe({ saw: "not_ready", afterMs: this.#readyMs });
  }

  get #readyMs(): number {
    return durationOf(this.#session.config, "start.ready");
  }
}
