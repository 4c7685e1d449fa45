/** Gates hold an answer until a test has looked at what it wants to see. */
export class Gates {
  readonly #gates = new Map<string, { readonly asked: Event; readonly open: Event }>();

  /** Told by who comes to the gate; resolves when it is open. Rejects when the signal says that nobody waits any more. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    const { asked, open } = this.#gate(name);
    asked.happen();
    await Promise.race([open.happened, aborted(signal)]);
  }

  /** When somebody has come to it, now or before. */
  asked(name: string): Promise<void> {
    return this.#gate(name).asked.happened;
  }

  /** For good: who comes later passes. */
  open(name: string): void {
    this.#gate(name).open.happen();
  }

  #gate(name: string): { readonly asked: Event; readonly open: Event } {
    const gate = this.#gates.get(name) ?? { asked: event(), open: event() };
    this.#gates.set(name, gate);
    return gate;
  }
}

interface Event {
  readonly happened: Promise<void>;
  readonly happen: () => void;
}

function event(): Event {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { happened: promise, happen: resolve };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
