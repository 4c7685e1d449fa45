import { RollcallError } from "../../domain/errors.ts";
import {
  addTotals,
  type ModelTotal,
  plainModel,
  subtractTotals,
  sumOfTotals,
  type TotalsSource,
} from "../../domain/reported-totals.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import type { Store } from "../../store/store.ts";
import type { Rollcall } from "../rollcall.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { ledgerRequests } from "./ledger-requests.ts";
import { type OwnTotals, ownTotalsOf } from "./own-totals.ts";

/** Compares the ledger with the agent's own totals. Nothing is corrected by it. */
export interface ReconciledUsage {
  readonly sessionId: string;
  /** Sub-agents whose requests are counted in, where the agent counts them in. */
  readonly subagents: readonly string[];
  readonly requests: number;
  readonly counted: Figures;
  readonly sources: readonly ReconciledSource[];
  /** All sources say what is counted, as far as they can be compared. */
  readonly agrees: boolean;
}

export interface ReconciledSource {
  readonly source: TotalsSource;
  readonly at: Instant;
  /** Null where it goes on from the origin of a fork, and how much was before cannot be told. */
  readonly reported: Figures | null;
  /** Reported less counted. */
  readonly difference: Figures | null;
  readonly agrees: boolean | null;
  readonly models: readonly ReconciledModel[];
}

export interface ReconciledModel {
  readonly model: string | null;
  readonly reported: Figures | null;
  readonly counted: Figures | null;
  readonly difference: Figures;
}

interface Ledger {
  readonly requests: number;
  readonly models: readonly ModelTotal[];
}

export async function reconcileUsage({ context }: Rollcall, id: string): Promise<ReconciledUsage> {
  const { store } = context;
  const row = (await store.findRow(id)) as SessionRow;
  const own = await ownTotalsOf(store, row);
  if (own.length === 0) throw nothingToCompare(id);
  const countsSubagents = own.some((totals) => totals.countsSubagents);
  const subagents = countsSubagents ? await subagentsOf(store, id) : [];
  const ledger = await ledgerOf(store, [id, ...subagents]);
  const sources = own.map((totals) => reconcile(totals, ledger));
  return {
    sessionId: id,
    subagents,
    requests: ledger.requests,
    counted: figuresOf(sumOfTotals(ledger.models)),
    sources,
    agrees: sources.every(({ agrees }) => agrees !== false),
  };
}

/** Helpers inside the agent's own process, at any depth. What it started with Rollcall counts for itself. */
async function subagentsOf(store: Store, id: string): Promise<string[]> {
  const rows = (await store.family(id)).items.map(({ row }) => row);
  const found = [id];
  for (const parent of found)
    found.push(
      ...rows
        .filter(({ parentId, origin }) => parentId === parent && origin === "subagent")
        .map((row) => row.id),
    );
  return found.slice(1);
}

async function ledgerOf(store: Store, ids: readonly string[]): Promise<Ledger> {
  let requests = 0;
  let models: ModelTotal[] = [];
  for (const id of ids)
    for await (const request of ledgerRequests(store, id)) {
      requests++;
      models = addTotals(models, [totalOf(request)]);
    }
  return { requests, models };
}

function totalOf(request: UsageEntry): ModelTotal {
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite } = request;
  const nanoUsd = request.reportedNanoUsd ?? request.computedNanoUsd;
  const model = plainModel(request.model);
  return { model, tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite, nanoUsd };
}

function reconcile({ source, at, models }: OwnTotals, ledger: Ledger): ReconciledSource {
  if (models === null) return { source, at, reported: null, difference: null, agrees: null, models: [] };
  const said = models.map((total) => [{ ...total, model: plainModel(total.model) }]).reduce(addTotals, []);
  // An agent that names no models is held against all of them.
  const isNameless = said.every(({ model }) => model === null);
  const counted = isNameless ? [sumOfTotals(ledger.models)] : ledger.models;
  const differences = subtractTotals(said, counted);
  const agreements = differences.map((one) => isNothing(one, ledger.requests)).filter((one) => one !== null);
  const find = (all: readonly ModelTotal[], model: string | null) => {
    const found = all.find((one) => one.model === model);
    return found === undefined ? null : figuresOf(found);
  };
  return {
    source,
    at,
    reported: figuresOf(sumOfTotals(said)),
    difference: figuresOf(sumOfTotals(differences)),
    agrees: agreements.length === 0 ? null : agreements.every(Boolean),
    models: differences.map((one) => ({
      model: one.model,
      reported: find(said, one.model),
      counted: find(counted, one.model),
      difference: figuresOf(one),
    })),
  };
}

/** Each request is rounded to a billionth of a dollar. Null where nothing can be compared. */
function isNothing({ model: _, nanoUsd, ...tokens }: ModelTotal, requests: number): boolean | null {
  const counts = Object.values(tokens).filter((count) => count !== null);
  if (counts.length === 0 && nanoUsd === null) return null;
  return counts.every((count) => count === 0) && Math.abs(nanoUsd ?? 0) <= Math.max(1, requests);
}

function nothingToCompare(id: string): RollcallError {
  return new RollcallError("not_offered", `Nothing but the ledger tells what ${id} has used.`, {
    hint: "Codex says its totals at the end of each turn, Claude Code too in an autonomous session, else when it leaves.",
    facts: { sessionId: id },
  });
}
