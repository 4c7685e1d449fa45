import { isLost } from "../domain/decide-end.ts";
import type { SessionRow } from "../domain/session.ts";
import { isEnded } from "../domain/state.ts";
import { timerMs } from "../domain/time.ts";
import { durationOf } from "../record/config.ts";
import type { LiveSession } from "./live-session.ts";
import { ageMsOf } from "./proc.ts";

type Limit = "timeout" | "idle_timeout";

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
    const { timeoutMs, idleTimeoutMs } = this.#session.carrying.launch;
    const isLoading = row.state === "starting" || row.state === "resuming";
    const leftMs = Math.max(0, readyMs(this.#session) - (performance.now() - this.#changedMs));
    this.#arm("ready", isLoading ? leftMs : null, () => this.#notReady());
    if (!isCounting("timeout", row)) this.#clear("timeout");
    else if (timeoutMs !== null && !this.#timers.has("timeout")) this.#check("timeout", timeoutMs);
    if (!isCounting("idle_timeout", row)) this.#clear("idle_timeout");
    else if (idleTimeoutMs !== null) this.#check("idle_timeout", idleTimeoutMs);
  }

  stop(): void {
    for (const name of [...this.#timers.keys()]) this.#clear(name);
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
  #check(limit: Limit, allowedMs: number): void {
    this.#clear(limit);
    this.#arm(limit, 0, async () => {
      const passedMs = await this.#passedMs(limit);
      if (passedMs === undefined) return;
      if (passedMs >= allowedMs) return this.#reached(limit);
      const nearMs = allowedMs * NEAR;
      if (passedMs >= nearMs) await this.#session.sight({ saw: "limit_neared", limit, allowedMs, passedMs });
      const nextMs = passedMs < nearMs ? nearMs : allowedMs;
      this.#arm(limit, nextMs - passedMs, async () => this.#check(limit, allowedMs));
    });
  }

  /** Undefined where it does not count any more: the state may have changed since the timer was set. */
  async #passedMs(limit: Limit): Promise<number | undefined> {
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

  async #reached(limit: Limit): Promise<void> {
    const graceMs = durationOf(this.#session.config, "end.grace");
    await this.#session.sight({ saw: "limit_reached", limit, graceMs });
  }

  async #notReady(): Promise<void> {
    await this.#session.sight({ saw: "not_ready", afterMs: readyMs(this.#session) });
  }
}

/** Idle is who is silent while it works, or stands at its prompt; not who asks something, and not who is paused. */
function isCounting(limit: Limit, row: SessionRow): boolean {
  if (row.process === null || isEnded(row.state) || row.state === "stopping" || isLost(row)) return false;
  return limit === "timeout" || row.state === "running" || row.waiting?.for === "prompt";
}

function readyMs(session: LiveSession): number {
  return durationOf(session.config, "start.ready");
}
