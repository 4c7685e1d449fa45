import type { Limit, LimitKind } from "../../domain/session/carried.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded } from "../../domain/session/state.ts";
import { isLost } from "../../domain/supervise/decide-end.ts";
import { timerMs } from "../../domain/time.ts";
import { durationOf } from "../../home/settings.ts";
import { ageMsOf } from "../../machine/proc.ts";
import type { LiveSession } from "./live-session.ts";

/** A limit is told of when so much of it has passed. */
const NEAR = 0.8;

/** Time-outs by clocks that nobody can set: the age of the process, and the holder's time since the last byte. */
export class Limits {
  readonly #session: LiveSession;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stateSince: string | undefined;
  /** When the state changed last: whoever was paused or asked begins anew, whoever was only left by a daemon does not. */
  #changedMs = 0;

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** After each change: what can run out now, and what no longer can. */
  follow(row: SessionRow): void {
    if (row.stateSince !== this.#stateSince) this.#changedMs = performance.now() - this.#missedMs(row);
    this.#stateSince = row.stateSince;
    const isLoading = row.state === "starting" || row.state === "resuming";
    const leftMs = Math.max(0, readyMs(this.#session) - (performance.now() - this.#changedMs));
    this.#arm("ready", isLoading ? leftMs : null, () => this.#notReady());
    for (const limit of this.#session.carrying.launch.limits) this.#followLimit(limit, row);
  }

  stop(): void {
    for (const name of [...this.#timers.keys()]) this.#clear(name);
  }

  /** Idle time begins anew with each change; the age of a session does not. */
  #followLimit(limit: Limit, row: SessionRow): void {
    if (!isCounting(limit.kind, row)) this.#clear(limit.kind);
    else if (limit.kind === "idle_timeout" || !this.#timers.has(limit.kind)) this.#check(limit);
  }

  /** A daemon that comes back finds a state that is older than itself. */
  #missedMs({ stateSince }: SessionRow): number {
    if (this.#stateSince !== undefined) return 0;
    return Math.max(0, this.#session.services.context.now() - Date.parse(stateSince));
  }

  #arm(name: string, ms: number | null, fire: () => Promise<void>): void {
    if (ms === null) this.#clear(name);
    if (ms === null || this.#timers.has(name)) return;
    this.#timers.set(
      name,
      setTimeout(() => {
        this.#timers.delete(name);
        void fire().catch((error: unknown) =>
          this.#session.services.log.error({ session: this.#session.id, err: error }, "a timer failed"),
        );
      }, timerMs(ms)),
    );
  }

  #clear(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  /** Looks how much has passed and acts, or sleeps until there is something to do. */
  #check(limit: Limit): void {
    const { kind, allowed } = limit;
    this.#clear(kind);
    this.#arm(kind, 0, async () => {
      const passedMs = await this.#passedMs(kind);
      if (passedMs === undefined) return;
      if (passedMs >= allowed) return this.#reached(kind);
      const nearMs = allowed * NEAR;
      if (passedMs >= nearMs) await this.#session.observe({ saw: "limit_neared", limit, passedMs });
      const nextMs = passedMs < nearMs ? nearMs : allowed;
      this.#arm(kind, nextMs - passedMs, async () => this.#check(limit));
    });
  }

  /** Undefined where it does not count any more: the state may have changed since the timer was set. */
  async #passedMs(limit: LimitKind): Promise<number | undefined> {
    const row = await this.#session.row();
    if (!row?.process || !isCounting(limit, row)) return undefined;
    if (limit === "timeout") return ageMsOf(row.process);
    const status = await this.#session.follower.status();
    // Not to be asked now; it is looked at again.
    if (!status) return 0;
    const age = ageMsOf(row.process);
    const sinceChange = performance.now() - this.#changedMs;
    return Math.min(status.lastInputMsAgo ?? age, status.lastOutputMsAgo ?? age, age, sinceChange);
  }

  async #reached(limit: LimitKind): Promise<void> {
    const graceMs = durationOf(this.#session.config, "end.grace");
    await this.#session.observe({ saw: "limit_reached", limit, graceMs });
  }

  async #notReady(): Promise<void> {
    await this.#session.observe({ saw: "not_ready", afterMs: readyMs(this.#session) });
  }
}

/** Idle is who is silent while it works, or stands at its prompt; not who asks something, and not who is paused. */
function isCounting(limit: LimitKind, row: SessionRow): boolean {
  if (row.process === null || isEnded(row.state) || row.state === "stopping" || isLost(row)) return false;
  return limit === "timeout" || row.state === "running" || row.waiting?.for === "prompt";
}

function readyMs(session: LiveSession): number {
  return durationOf(session.config, "start.ready");
}
