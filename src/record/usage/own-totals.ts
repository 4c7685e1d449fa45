import {
  type ModelTotal,
  type ReportedTotals,
  subtractTotals,
  sumOfTotals,
  TOTALS_SOURCES,
  type TotalsSource,
} from "../../domain/reported-totals.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";

/** The usage of one session as its agent reports it. */
export interface OwnTotals {
  readonly source: TotalsSource;
  readonly at: Instant;
  readonly countsSubagents: boolean;
  /** By model; null where it counts on from the origin of a fork, and how much of it was before cannot be told. */
  readonly models: readonly ModelTotal[] | null;
}

/** The agent's own totals by source, without what was used before a fork. */
export async function ownTotalsOf(store: Store, row: SessionRow): Promise<OwnTotals[]> {
  const found: OwnTotals[] = [];
  for (const source of TOTALS_SOURCES) {
    const said = row.reported?.[source];
    if (!said) continue;
    const { at, countsSubagents } = said;
    found.push({ source, at, countsSubagents, models: await modelsOf(store, row, source, said) });
  }
  return found;
}

async function modelsOf(
  store: Store,
  row: SessionRow,
  source: TotalsSource,
  { total, sinceFirst }: ReportedTotals,
): Promise<readonly ModelTotal[] | null> {
  // After a crash, totals may begin again below what was said to be new.
  const isSinceMore = sinceFirst !== null && tokensOf(sinceFirst) > tokensOf(total);
  if (row.forkedFrom === null) return isSinceMore ? sinceFirst : total;
  if (sinceFirst !== null) return sinceFirst;
  const before = await totalsBeforeFork(store, row, source);
  return before && subtractTotals(total, before);
}

/** The totals of the origin when this fork was launched; undefined where nobody kept them. */
async function totalsBeforeFork(
  store: Store,
  { forkedFrom, origin, createdAt }: SessionRow,
  source: TotalsSource,
): Promise<readonly ModelTotal[] | null> {
  const isKept =
    origin === "started" && forkedFrom !== null && (await store.findRow(forkedFrom)) !== undefined;
  if (!isKept) return null;
  let last: readonly ModelTotal[] = [];
  for (let after = 0; ; ) {
    const events = await store.events(forkedFrom, { after, limit: 1000 });
    for (const { body, at } of events)
      if (body.kind === "totals_reported" && body.source === source && at <= createdAt) last = body.total;
    if (events.length < 1000) return last;
    after = events.at(-1)?.seq ?? after;
  }
}

function tokensOf(totals: readonly ModelTotal[]): number {
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite } = sumOfTotals(totals);
  return (tokensInput ?? 0) + (tokensOutput ?? 0) + (tokensCacheRead ?? 0) + (tokensCacheWrite ?? 0);
}
