import type { SessionRecord } from "../../domain/session/session.ts";
import { nameToCall } from "../../present/request.ts";
import type { Output } from "../framework/output.ts";

/** A launcher passes on what the terminal has sent to both of them: so close together it is one key. */
const SAME_KEY_MS = 300;

/**
 * Ctrl-C in a command that waits leaves the session alone, says so and exits 130. It is made before the daemon is asked:
 * a Ctrl-C that comes before the session is known is answered as soon as it is, a second one leaves at once.
 */
export class InterruptNotice implements Disposable {
  readonly #output: Output;
  readonly #onInterrupt = () => this.#interrupt();
  #session: SessionRecord | undefined;
  readonly #now: () => number;
  #interruptedAt: number | undefined;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
    process.on("SIGINT", this.#onInterrupt);
  }

  /** Names the session that goes on. */
  name(session: SessionRecord): void {
    this.#session = session;
    if (this.#interruptedAt !== undefined) this.#leave(session);
  }

  [Symbol.dispose](): void {
    process.removeListener("SIGINT", this.#onInterrupt);
  }

  #interrupt(): void {
    if (this.#session) this.#leave(this.#session);
    const now = this.#now();
    if (this.#interruptedAt !== undefined && now - this.#interruptedAt >= SAME_KEY_MS) process.exit(130);
    this.#interruptedAt ??= now;
  }

  #leave(session: SessionRecord): never {
    const { id, name } = session;
    const called = name === null ? id : `${id} (${name})`;
    this.#output.note(`Session ${called} goes on; end it with: rollcall end ${nameToCall(session)}`);
    process.exit(130);
  }
}
