import type { Database } from "better-sqlite3";
import type { ToolUse } from "../../../domain/tally/tool-use.ts";
import { openWait } from "../../../domain/tally/wait.ts";
import type { AgentWait, Window } from "../../statistics.ts";
import { parseRow } from "./session-table.ts";
import { ALWAYS, GROUP_OF_SESSION } from "./usage-totals.ts";

type Live = readonly [id: string, body: string, agent: string];

const IN_WINDOW = "s.last_active_at >= ? AND s.created_at < ?";

export function allWaits(db: Database, { since = "", until = ALWAYS }: Window): AgentWait[] {
  const closed = db
    .prepare<[string, string, string], AgentWait>(
      `SELECT ${GROUP_OF_SESSION.agent} AS agent, w.since, w.ms FROM waits w JOIN sessions s ON s.no = w.session
       WHERE ${IN_WINDOW} AND w.since < ?`,
    )
    .all(since, until, until);
  const live = db
    .prepare<[string, string], Live>(
      `SELECT s.id, s.body, ${GROUP_OF_SESSION.agent} FROM sessions s WHERE s.live = 1
       AND s.state IN ('waiting_input', 'paused') AND ${IN_WINDOW}`,
    )
    .raw()
    .all(since, until);
  return [...closed, ...live.flatMap(openWaitOf)];
}

function openWaitOf([id, body, agent]: Live): AgentWait[] {
  const wait = openWait(parseRow(id, body));
  return wait === null ? [] : [{ agent, since: wait.since, ms: null }];
}

/** Over all time without a look at the sessions. */
export function allToolUses(db: Database, { since, until }: Window): ToolUse[] {
  const isLimited = since !== undefined || until !== undefined;
  const limits = isLimited ? `JOIN sessions s ON s.no = u.session WHERE ${IN_WINDOW}` : "";
  return db
    .prepare<string[], ToolUse>(
      `SELECT u.tool, sum(u.calls) AS calls, sum(u.failures) AS failures FROM tool_uses u ${limits}
       GROUP BY u.tool ORDER BY failures DESC, calls DESC, u.tool`,
    )
    .all(...(isLimited ? [since ?? "", until ?? ALWAYS] : []));
}
