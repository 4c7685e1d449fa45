import { setTimeout as sleep } from "node:timers/promises";
import { lookAtTree } from "../../home/known-tree.ts";
import { storePath } from "../../home/layout.ts";
import { findHolderFile } from "../../host/holder-files.ts";
import { storeLockers } from "../../machine/store-lock.ts";
import type { Facts, HolderPort, Logs, Loop } from "./ports.ts";

/** Long enough for a commit; beyond it the tree is stopped, and looked at, again. */
const FINISH_MS = 1000;
/** A program that writes often is free for moments only: the look has to be quicker than they are. */
const LOOK_MS = 1;
const RECORD_AGAIN_MS = 5000;

interface Ports extends Facts, Logs, HolderPort, Pick<Loop, "observe" | "row"> {
  readonly places: { readonly home: string };
}

/** Stops and continues the tree of one session, and never leaves one stopped that holds the lock of the store. */
export class Pausing {
  readonly #session: Ports;
  #againTimer: NodeJS.Timeout | undefined;
  /** The last thing that was asked for. */
  #isAsked = false;

  constructor(session: Ports) {
    this.#session = session;
  }

  begin(): void {
    this.stop();
    this.#isAsked = true;
    this.#session.holder.connection?.pause();
  }

  continue(): void {
    this.stop();
    this.#isAsked = false;
    this.#session.holder.connection?.continue();
  }

  /** Goes on at once; the record follows as soon as the store takes it, unless someone pauses it again before. */
  continueUnrecorded(): void {
    this.continue();
    this.#againTimer = setTimeout(() => {
      this.#session.observe({ saw: "continue_asked" }).catch(() => this.continueUnrecorded());
    }, RECORD_AGAIN_MS);
  }

  stop(): void {
    clearTimeout(this.#againTimer);
  }

  /** The tree is stopped. A member that was stopped inside a transaction finishes it; then the tree is stopped again. */
  async holds(): Promise<void> {
    const { log, id } = this.#session;
    try {
      const members = this.#lockers();
      if (members.length === 0) return;
      log.info({ session: id }, "a paused process holds the store's lock: it may finish");
      this.#session.holder.connection?.continue();
      await this.#untilFree(members);
      const isPaused = (await this.#session.row())?.state === "paused";
      if (this.#isAsked && isPaused) this.#session.holder.connection?.pause();
    } catch (error) {
      log.warn({ session: id, err: error }, "could not see whether it holds the store's lock");
    }
  }

  /** The members of the tree that hold the lock. */
  #lockers(): number[] {
    const { places, folder, carrying } = this.#session;
    const lockers = storeLockers(storePath(places.home));
    const file = lockers.length === 0 ? undefined : findHolderFile(folder);
    if (!file) return [];
    const known = { bootId: file.bootId, agent: file.agent, cwd: carrying.launch.cwd };
    const members = lookAtTree(known, file)?.members ?? [];
    return members.flatMap(({ pid }) => (lockers.includes(pid) ? [pid] : []));
  }

  async #untilFree(members: readonly number[]): Promise<void> {
    const path = storePath(this.#session.places.home);
    const lastMs = performance.now() + FINISH_MS;
    const isHeld = () => storeLockers(path).some((pid) => members.includes(pid));
    while (this.#isAsked && isHeld() && performance.now() < lastMs)
      await sleep(LOOK_MS, undefined, { ref: false });
  }
}
