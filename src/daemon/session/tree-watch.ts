import { existsSync } from "node:fs";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { lookAtTree, readTree, unseenTree, writeTree } from "../../home/known-tree.ts";
import { findSurvivors } from "../../home/survivors.ts";
import { findHolderFile } from "../../host/holder-files.ts";
import { processTable } from "../../machine/process.ts";
import type { Facts, Logs } from "./ports.ts";

/** Soon after a launch or an adoption its first children are there. */
export const FIRST_LOOK_MS = 1000;
/** A session that does something is looked at this often at most; one that is quiet never. */
const LOOK_MS = 5000;

interface Watched extends Facts, Logs {
  readonly isClosing: boolean;
}

/** Notes who is in the trees of sessions while their holders live: the only way to find some of them afterwards. */
export class TreeWatch {
  readonly #due = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = 0;

  /** All that are due share one pass over the process table. */
  look(session: Watched, afterMs = LOOK_MS): void {
    this.#due.add(session);
    const dueAtMs = performance.now() + afterMs;
    if (this.#timer && this.#dueAtMs <= dueAtMs) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = dueAtMs;
    this.#timer = setTimeout(() => this.#lookAtAll(), afterMs).unref();
  }

  /** At once: whoever is signalled next may be the last that knows. */
  lookNow(session: Watched): void {
    note(session, processTable());
  }

  forget(session: Watched): void {
    this.#due.delete(session);
  }

  #lookAtAll(): void {
    this.#timer = undefined;
    const due = [...this.#due];
    this.#due.clear();
    const table = processTable();
    for (const session of due) note(session, table);
  }
}

/** A failure to look is logged and stops nothing. */
function note(session: Watched, table: ReturnType<typeof processTable>): void {
  const { folder, log, id, isClosing } = session;
  if (isClosing) return;
  try {
    const file = findHolderFile(folder);
    if (!file) return;
    const { bootId, agent } = file;
    const tree = lookAtTree({ bootId, agent, cwd: session.carrying.launch.cwd }, file, table);
    if (tree && JSON.stringify(tree) !== JSON.stringify(readTree(folder))) writeTree(folder, tree);
  } catch (error) {
    log.warn({ session: id, err: error }, "could not look at the processes of a session");
  }
}

/** Processes of a launch that its holder and guard did not end, and that no marker finds. They are noted: doctor looks for them, too. */
export function survivorsOf(folder: string, agent: ProcessIdentity | null, cwd: string): ProcessIdentity[] {
  const tree = readTree(folder) ?? (agent && unseenTree({ agent, bootId: agent.bootId, cwd }));
  if (!tree) return [];
  const survivors = findSurvivors(tree);
  if (survivors.length > 0 && existsSync(folder)) writeTree(folder, { ...tree, members: survivors });
  return survivors;
}
