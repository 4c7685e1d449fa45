import type { SessionRecord } from "../../domain/session/session.ts";
import type { RollRow } from "../../present/roll-order.ts";

/** A key that answers or ends counts only once what it means was to be read for so long. */
export const SETTLE_MS = 500;

const LONG_AGO = Number.NEGATIVE_INFINITY;

/**
 * The session under the cursor. It stays with its session whatever happens to the order. What came under the cursor, or
 * changed there, without a key of the person has to be shown for a while before a key may act on it.
 */
export class Selection {
  readonly #now: () => number;
  #rows: readonly RollRow[] | undefined;
  #id: string | undefined;
  /** Since when the session is under the cursor, and each request on the screen. */
  #sessionSince = LONG_AGO;
  #requests = new Map<string, { readonly key: string; readonly since: number }>();
  #orderSince = LONG_AGO;

  constructor(now: () => number) {
    this.#now = now;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** As it is shown. */
  get session(): SessionRecord | undefined {
    return this.#rows?.find(({ session }) => session.id === this.#id)?.session;
  }

  get sessions(): readonly SessionRecord[] {
    return (this.#rows ?? []).map(({ session }) => session);
  }

  /** These rows are drawn now. */
  show(rows: readonly RollRow[]): void {
    const before = this.#rows;
    const since = before === undefined ? LONG_AGO : this.#now();
    if (before && idsOf(before) !== idsOf(rows)) this.#orderSince = since;
    this.#requests = new Map(rows.map(({ session }) => [session.id, this.#seen(session, since)]));
    if (!rows.some(({ session }) => session.id === this.#id)) {
      const at = before?.findIndex(({ session }) => session.id === this.#id) ?? 0;
      this.#id = rows[Math.max(0, Math.min(at, rows.length - 1))]?.session.id;
      this.#sessionSince = since;
    }
    this.#rows = rows;
  }

  /** By a key: what the person aimed at is what was shown, unless the rows had just moved. */
  move(by: number): void {
    const at = this.sessions.findIndex(({ id }) => id === this.#id) + by;
    this.select(this.sessions[Math.max(0, Math.min(at, this.sessions.length - 1))]?.id);
  }

  select(id: string | undefined): void {
    if (id === this.#id) return;
    this.#id = id;
    const now = this.#now();
    this.#sessionSince = now - this.#orderSince < SETTLE_MS ? now : LONG_AGO;
  }

  /** How long it takes until keys count for the session, or for its request as well. */
  settlesInMs(what: "session" | "request" = "request"): number {
    const request = this.#requests.get(this.#id ?? "")?.since ?? LONG_AGO;
    const since = what === "session" ? this.#sessionSince : Math.max(this.#sessionSince, request);
    return Math.max(0, since + SETTLE_MS - this.#now());
  }

  #seen(session: SessionRecord, since: number): { readonly key: string; readonly since: number } {
    const known = this.#requests.get(session.id);
    const key = requestKey(session);
    return known?.key === key ? known : { key, since };
  }
}

function idsOf(rows: readonly RollRow[]): string {
  return rows.map(({ session }) => session.id).join("\n");
}

function requestKey({ waiting }: SessionRecord): string {
  return waiting === null ? "" : JSON.stringify([waiting.for, waiting.requestId, waiting.since]);
}
