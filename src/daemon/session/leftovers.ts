import { setTimeout as sleep } from "node:timers/promises";
import type { Leftover } from "../../domain/supervise/observation.ts";
import { signalMarked } from "../../host/holder.ts";
import { findHolderFile, type HolderFile } from "../../host/holder-files.ts";
import { processesByMarker } from "../../machine/proc.ts";
import { isProcessAlive } from "../../machine/process.ts";

/** Finds and ends processes by the marker of their launch: what is left when a holder could not do it. */
export class Leftovers {
  readonly #holder: string;
  #scan: Promise<Map<string, Leftover[]>> | undefined;

  /** The native program knows how to signal exactly the process that it looked at. */
  constructor(holder: string) {
    this.#holder = holder;
  }

  /** Living processes of a launch that are neither its holder nor its guard. */
  async of(marker: string, folder: string, file?: HolderFile): Promise<Leftover[]> {
    const found = (await this.#look()).get(marker) ?? [];
    const holder = file ?? findHolderFile(folder);
    const known = holder ? [holder.guard, holder.holder] : [];
    return found.filter(
      ({ pid, startTime }) => !known.some((own) => own.pid === pid && own.startTime === startTime),
    );
  }

  /** All who asked before it began share one pass over the process table. */
  async #look(): Promise<Map<string, Leftover[]>> {
    this.#scan ??= Promise.resolve().then(() => {
      this.#scan = undefined;
      return processesByMarker();
    });
    return this.#scan;
  }

  /** Kills each that is still the process that was found; true when all are gone. */
  async kill(marker: string, leftovers: readonly Leftover[]): Promise<boolean> {
    // They are still there where no process can be started to end them, and are found again.
    await signalMarked(this.#holder, "KILL", { marker, processes: leftovers }).catch(() => {});
    for (let waitedMs = 0; waitedMs < MOST_WAIT_MS; waitedMs += STEP_MS) {
      if (!leftovers.some(isProcessAlive)) return true;
      await sleep(STEP_MS);
    }
    return false;
  }
}

const STEP_MS = 10;
const MOST_WAIT_MS = 1000;
