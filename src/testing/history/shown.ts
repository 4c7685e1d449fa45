import type { Store } from "../../store/store.ts";
import { costOfAll } from "./cost.ts";
import { type SessionTruth, sumOf } from "./truth.ts";

/** The record of an imported session, in which sessions have their native ids. */
interface Shown {
  readonly parent: string | null;
  readonly forkedFrom: string | null;
  readonly turns: number;
  /** The texts of a person that are part of the conversation. */
  readonly visible: readonly string[];
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly nanoUsd: number | null;
}

/** The sessions of the store by the agents' own names for them; those without any usage are left out where they may be. */
export async function shownSessions(store: Store): Promise<Record<string, Shown>> {
  const { items } = await store.list({ limit: 0 });
  const names = new Map(items.map(({ row }) => [row.id, `${row.agentType} ${row.nativeId}`]));
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? id));
  const visible = new Map<string, readonly string[]>();
  for (const { row } of items) visible.set(row.id, await visibleTexts(store, row.id));
  const shown = items.map(({ row, ledger }): [string, Shown] => [
    nameOf(row.id) ?? "",
    {
      visible: visible.get(row.id) ?? [],
      parent: nameOf(row.parentId),
      forkedFrom: nameOf(row.forkedFrom),
      turns: row.turns,
      requests: ledger.requests,
      input: ledger.sums.tokensInput,
      output: ledger.sums.tokensOutput,
      cacheRead: ledger.sums.tokensCacheRead,
      cacheWrite: ledger.sums.tokensCacheWrite,
      reasoning: ledger.sums.tokensReasoning,
      nanoUsd: ledger.reported + ledger.computed === 0 ? null : ledger.nanoUsd,
    },
  ]);
  return sorted(shown.filter(([, { turns, requests }]) => turns + requests > 0));
}

async function visibleTexts(store: Store, id: string): Promise<string[]> {
  const entries = await store.entries(id, { limit: 0 });
  return entries.flatMap(({ role, kind, text }) => (role === "user" && kind === "text" ? [text ?? ""] : []));
}

export function shownTruth({
  sessions,
}: {
  readonly sessions: readonly SessionTruth<string>[];
}): Record<string, Shown> {
  const nameIn = (agent: string, id: string | null) =>
    id === null ? null : `${agent} ${id.replace(/^agent-/u, "")}`;
  return sorted(
    sessions
      .filter(({ isEmpty }) => !isEmpty)
      .map((session): [string, Shown] => [
        nameIn(session.agent, session.nativeId) ?? "",
        {
          parent: nameIn(session.agent, session.parent),
          forkedFrom: nameIn(session.agent, session.forkedFrom),
          turns: session.turns,
          visible: session.visible,
          ...sumOf(session.requests),
          nanoUsd: costOfAll(session.requests),
        },
      ]),
  );
}

function sorted(entries: readonly (readonly [string, Shown])[]): Record<string, Shown> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
