import type { SessionRecord } from "../../domain/session/session.ts";
import type { Output } from "../framework/output.ts";

/**
 * Ctrl-C in a command that waits leaves the session alone, says so and exits 130. It is made before the daemon is asked:
 * a Ctrl-C that comes before the session is known is answered as soon as it is, a second one leaves at once.
 */
export class InterruptNotice implements Disposable {
  readonly #output: Output;
  readonly #onInterrupt = () => this.#interrupt();
  #session: SessionRecord | undefined;
  #isInterrupted = false;

  constructor(output: Output) {
    this.#output = output;
    process.on("SIGINT", this.#onInterrupt);
  }

  /** Names the session that goes on. */
  name(session: SessionRecord): void {
    this.#session = session;
    if (this.#isInterrupted) this.#leave(session);
  }

  [Symbol.dispose](): void {
    process.removeListener("SIGINT", this.#onInterrupt);
  }

  #interrupt(): void {
    if (this.#session) this.#leave(this.#session);
    if (this.#isInterrupted) process.exit(130);
    this.#isInterrupted = true;
  }

  #leave({ id, name }: SessionRecord): never {
    const called = name === null ? id : `${id} (${name})`;
    this.#output.note(`Session ${called} goes on; end it with: rollcall end ${name ?? id}`);
    process.exit(130);
  }
}
