import type { AgentType } from "../../domain/session/session.ts";
import {
  addToLedger,
  EMPTY_LEDGER,
  isSuperseded,
  type LedgerSum,
  mergeLedgers,
  type PriceRequest,
  type UsageEntry,
} from "../../domain/usage.ts";

/** The session that a request is counted for. */
export interface Owner {
  readonly agentType: AgentType;
  readonly nativeId: string;
}

export interface ScannedModel {
  readonly agentType: AgentType;
  readonly model: string | null;
  readonly ledger: LedgerSum;
}

export interface ScannedSession extends Owner {
  readonly ledger: LedgerSum;
}

interface Kept {
  readonly owner: Owner;
  request: UsageEntry;
}

/** Counts each request once, by the rules of the ledger in the store: the session that reports one first owns it. */
export class ScanLedger {
  readonly #shared = new Map<string, Kept>();
  readonly #own = new Map<Owner, Map<string, Kept>>();

  /** Returns the owner of the request where that is another one: their histories hold copies of each other. */
  add(owner: Owner, request: UsageEntry): Owner | undefined {
    const requests = request.isShared ? this.#shared : this.#requestsOf(owner);
    const kept = requests.get(request.requestKey);
    if (kept === undefined) requests.set(request.requestKey, { owner, request });
    else if (kept.owner !== owner) return kept.owner;
    else if (!isSuperseded(request, kept.request)) kept.request = request;
    return undefined;
  }

  /** Before these sessions are read again. */
  forget(owners: ReadonlySet<Owner>): void {
    for (const owner of owners) this.#own.delete(owner);
    for (const [key, { owner }] of this.#shared) if (owners.has(owner)) this.#shared.delete(key);
  }

  /** The sums of each model and of each session, priced. */
  sums(price: PriceRequest): { readonly models: ScannedModel[]; readonly sessions: ScannedSession[] } {
    const sums = new Map<Owner, Map<string | null, LedgerSum>>();
    for (const { owner, request } of this.#all()) {
      const own = sums.get(owner) ?? new Map<string | null, LedgerSum>();
      own.set(request.model, addToLedger(own.get(request.model) ?? EMPTY_LEDGER, price(request)));
      sums.set(owner, own);
    }
    const models = new Map<string, ScannedModel>();
    const sessions = new Map<Owner, LedgerSum>();
    for (const [owner, own] of sums)
      for (const [model, ledger] of own) {
        const { agentType } = owner;
        const name = `${agentType} ${model ?? ""}`;
        const known = models.get(name) ?? { agentType, model, ledger: EMPTY_LEDGER };
        models.set(name, { ...known, ledger: mergeLedgers(known.ledger, ledger) });
        sessions.set(owner, mergeLedgers(sessions.get(owner) ?? EMPTY_LEDGER, ledger));
      }
    return {
      models: [...models.values()],
      sessions: [...sessions].map(([owner, ledger]) => ({ ...owner, ledger })),
    };
  }

  *#all(): Generator<Kept> {
    yield* this.#shared.values();
    for (const requests of this.#own.values()) yield* requests.values();
  }

  #requestsOf(owner: Owner): Map<string, Kept> {
    let requests = this.#own.get(owner);
    if (requests === undefined) {
      requests = new Map();
      this.#own.set(owner, requests);
    }
    return requests;
  }
}
