import { sumOfTotals, type TotalsSource } from "../../domain/reported-totals.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import {
  addToLedger,
  type CostSource,
  costSourceOfRequest,
  EMPTY_LEDGER,
  type LedgerSum,
  type Usage,
  type UsageEntry,
  unpricedOf,
  usageOfLedger,
} from "../../domain/usage.ts";
import type { Rollcall } from "../rollcall.ts";
import { type Figures, figuresOf } from "../usage/figures.ts";
import { ledgerRequests } from "../usage/ledger-requests.ts";
import { type OwnTotals, ownTotalsOf } from "../usage/own-totals.ts";

export interface UsageReport {
  readonly sessionId: string;
  readonly usage: Usage;
  readonly usageWithChildren: Usage;
  /** The agent's own totals, by source; beside the usage and never added to it. */
  readonly reported: readonly ReportedUsage[];
  readonly models: readonly ModelUsage[];
  /** Models of this session with requests that have no price. */
  readonly unpricedModels: readonly string[];
  /** By time; only where they were asked for. */
  readonly requests?: readonly CountedRequest[];
}

export interface ReportedUsage extends Figures {
  readonly source: TotalsSource;
  readonly at: Instant;
}

export interface ModelUsage {
  readonly model: string | null;
  readonly requests: number;
  readonly usage: Omit<Usage, "turns">;
}

/** A request of the ledger with its money in dollars. */
export type CountedRequest = Omit<UsageEntry, "isShared" | "reportedNanoUsd" | "computedNanoUsd"> & {
  readonly costUsd: number | null;
  readonly costSource: CostSource;
  readonly reportedUsd: number | null;
  readonly computedUsd: number | null;
};

/** The usage of one session by model and, where asked for, by request. */
export async function usageReportOf(
  rollcall: Rollcall,
  id: string,
  options: { readonly requests?: boolean } = {},
): Promise<UsageReport> {
  const { store } = rollcall.context;
  const { usage, usageWithChildren } = await rollcall.get(id);
  const row = (await store.findRow(id)) as SessionRow;
  const models = new Map<string | null, LedgerSum>();
  const requests: UsageEntry[] = [];
  for await (const request of ledgerRequests(store, id)) {
    models.set(request.model, addToLedger(models.get(request.model) ?? EMPTY_LEDGER, request));
    if (options.requests) requests.push(request);
  }
  requests.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  return {
    sessionId: id,
    usage,
    usageWithChildren,
    reported: (await ownTotalsOf(store, row)).map(reportedUsage),
    models: [...models].map(([model, ledger]) => modelUsage(model, ledger)),
    unpricedModels: unpricedOf([...models].map(([group, ledger]) => ({ group, ledger }))),
    ...(options.requests ? { requests: requests.map(counted) } : {}),
  };
}

function reportedUsage({ source, at, models }: OwnTotals): ReportedUsage {
  return { source, at, ...figuresOf(sumOfTotals(models ?? [])) };
}

function modelUsage(model: string | null, ledger: LedgerSum): ModelUsage {
  const { turns: _, ...usage } = usageOfLedger(ledger, null);
  return { model, requests: ledger.requests, usage };
}

function counted(request: UsageEntry): CountedRequest {
  const { isShared: _, reportedNanoUsd, computedNanoUsd, pricedBy, ...rest } = request;
  return {
    ...rest,
    costUsd: dollars(reportedNanoUsd ?? computedNanoUsd),
    costSource: costSourceOfRequest(request),
    reportedUsd: dollars(reportedNanoUsd),
    computedUsd: dollars(computedNanoUsd),
    pricedBy,
  };
}

function dollars(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : nanoUsd / 1e9;
}
