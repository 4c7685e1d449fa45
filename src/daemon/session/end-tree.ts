import { basename } from "node:path";
import type { Deed } from "../../agents/deed.ts";
import { timerMs } from "../../domain/time.ts";
import { endByFile, signalMarked } from "../../host/holder.ts";
import { findHolderFile } from "../../host/holder-files.ts";
import { isStopped } from "../../machine/proc.ts";
import { isProcessAlive } from "../../machine/process.ts";
import { faultPoint } from "../fault-point.ts";
import type { Aim, DeliveryPort, Facts, HolderPort, Logs, Loop } from "./ports.ts";

/** An agent that knows how to leave gets this long before it is signalled. */
const POLITE_MS = 1000;
const RETRY_MS = 5000;
interface Ports extends Facts, Logs, Aim, HolderPort, DeliveryPort, Pick<Loop, "look"> {
  readonly programs: { readonly holder: string };
  /** Notes who is in the tree at this moment. */
  lookAtTreeNow(): void;
}

/** Ends the tree of one session through its holder, and goes on trying until there is none. */
export class EndTree {
  readonly #session: Ports;
  #politeTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #hold: Promise<void> | undefined;
  #isStopped = false;

  constructor(session: Ports) {
    this.#session = session;
  }

  /** The next end begins when this resolves: the process that asked for it is one of those that are ended. */
  holdUntil(answered: Promise<void>): void {
    this.#hold = answered;
  }

  /** Asked again, it can only come sooner. */
  begin(graceMs: number): void {
    faultPoint("end.stopping");
    this.#session.lookAtTreeNow();
    const hold = this.#hold;
    this.#hold = undefined;
    if (!hold) this.#begin(graceMs);
    else void hold.then(() => this.#isStopped || this.#begin(graceMs));
  }

  #begin(graceMs: number): void {
    const { controls } = this.#session.carrying.mode;
    const polite = this.#hasBegun ? undefined : controls.stop(this.#session.target);
    this.#hasBegun = true;
    const politeMs = Math.min(POLITE_MS, graceMs / 2);
    if (polite && politeMs > 0 && this.#session.holder.connection) {
      this.#ask(polite);
      faultPoint("end.polite");
      this.#politeTimer ??= setTimeout(() => this.#signal(graceMs - politeMs), politeMs);
    } else this.#signal(graceMs);
  }

  /** The tree is signalled whether or not the agent understood. */
  #ask(polite: Deed): void {
    const { log, id, delivery } = this.#session;
    void delivery
      .deliver(polite)
      .catch((error: unknown) => log.warn({ session: id, err: error }, "could not ask the agent to leave"));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#politeTimer);
    clearTimeout(this.#retryTimer);
  }

  /** Asks by the socket, or by a file where nobody listens; a holder that someone stopped is woken first. */
  #signal(graceMs: number): void {
    clearTimeout(this.#politeTimer);
    this.#politeTimer = undefined;
    const { holder, folder, log, id } = this.#session;
    this.#wake();
    if (holder.connection) holder.connection.end(graceMs);
    else void endByFile(folder, graceMs).catch(() => this.#session.look(0));
    faultPoint("end.signalled");
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(
      () => {
        log.warn({ session: id }, "the end is not proven yet; trying again");
        this.#session.look(0);
        this.#signal(0);
      },
      timerMs(graceMs + RETRY_MS),
    );
  }

  /** This is also called by a timer: what cannot be looked at now is looked at again, and is nobody's end. */
  #wake(): void {
    const { folder, programs, log, id } = this.#session;
    void wakeHolder(programs.holder, folder).catch((error: unknown) =>
      log.warn({ session: id, err: error }, "could not see whether the holder is stopped"),
    );
  }
}

async function wakeHolder(program: string, folder: string): Promise<void> {
  const file = findHolderFile(folder);
  if (!file) return;
  const isAsleep = ({ pid, startTime }: { readonly pid: number; readonly startTime: string }) =>
    isProcessAlive({ pid, startTime, bootId: file.bootId }) && isStopped(pid);
  const processes = [file.guard, file.holder].filter(isAsleep);
  if (processes.length > 0) await signalMarked(program, "CONT", { marker: basename(folder), processes });
}
