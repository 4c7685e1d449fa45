import type { EventBody } from "../domain/session/event.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { isProcessAlive } from "../machine/process.ts";
import { type Context, stamp } from "./context.ts";

/**
 * Marks `unknown` the active sessions of this machine for which no living process can be shown. Sessions that
 * Rollcall carries are left to the daemon, which can ask their holders, and so are sub-agents, which end with their parent.
 */
export async function reconcileSessions(context: Context, current: string | undefined): Promise<number> {
  const { items } = await context.store.list({
    statuses: ["active"],
    machine: context.config.machine,
    limit: 0,
    where: (row) => isStale(row, current),
  });
  const changes = items.map(({ row: { id } }) =>
    context.store.change(id, (row) =>
      row && isStale(row, current) ? [stamp(context, reconciled(row))] : [],
    ),
  );
  const done = await Promise.all(changes);
  const changed = done.filter(({ events }) => events.length > 0);
  for (const { row } of changed) if (row.hasFile) await context.files.follow(row.id);
  return changed.length;
}

function isStale(row: SessionRow, current: string | undefined): boolean {
  const isLeftToDaemon = row.origin === "started" || row.origin === "subagent";
  if (row.id === current || isLeftToDaemon || !isLive(row.state)) return false;
  return row.process === null || !isProcessAlive(row.process);
}

function reconciled({ process }: SessionRow): EventBody {
  const excerpt = process === null ? "it names no process" : `process ${process.pid} is gone`;
  const evidence = { source: "process", rule: "no_living_process", excerpt } as const;
  return { kind: "reconciled", state: "unknown", evidence };
}
