import { RollcallError } from "../domain/errors.ts";
import { launchFolder, sessionOfLaunch } from "../home/launch-folder.ts";
import { storePath } from "../home/layout.ts";
import { checkStateFolder } from "../home/state-folder.ts";
import { markedProcesses } from "../machine/marked-process.ts";
import { type FindRow, type RestoreReport, restoreDatabase } from "../store/sqlite/restore.ts";

/**
 * Puts a backup in the place of the store of a state folder. Refuses with `process_alive` where something runs that
 * the backup knows nothing of: nobody would see it any more, or could end it.
 */
export async function restoreBackup(home: string, from: string, now: number): Promise<RestoreReport> {
  checkStateFolder(home);
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, "");
  return restoreDatabase(storePath(home), from, stamp, (findRow) => checkRunning(home, findRow));
}

function checkRunning(home: string, findRow: FindRow): void {
  const unseen = markedProcesses(home).filter(({ marker }) => {
    const id = sessionOfLaunch(launchFolder(home, marker));
    return id === undefined || findRow(id)?.carried?.launch.marker !== marker;
  });
  if (unseen.length === 0) return;
  const ids = unseen.flatMap(({ marker }) => sessionOfLaunch(launchFolder(home, marker)) ?? []);
  const sessionIds = [...new Set(ids)];
  const what =
    sessionIds.length > 0 ? sessionIds.join(", ") : `pids ${unseen.map(({ pid }) => pid).join(", ")}`;
  throw new RollcallError(
    "process_alive",
    `The backup knows nothing of what runs now (${what}); nothing was restored.`,
    {
      hint: sessionIds.length > 0 ? "End it first, or let --end do so." : "`rollcall doctor --fix` ends it.",
      facts: { sessionIds, markers: [...new Set(unseen.map(({ marker }) => marker))] },
    },
  );
}
