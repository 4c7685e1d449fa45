/** So many events are kept for a reader that comes back; older ones are gone. */
const MOST_EVENTS = 4096;

export interface LoggedEvent {
  readonly id: number;
  readonly name: string;
  readonly data: object;
}

type Reader = (event: LoggedEvent) => void;

/** The last events, each with a number, for readers that may have missed some. */
export class EventLog {
  readonly #most: number;
  readonly #events: LoggedEvent[] = [];
  readonly #readers = new Set<Reader>();
  #lastId = 0;

  constructor(most = MOST_EVENTS) {
    this.#most = most;
  }

  /** The first and last event that are still kept. */
  get range(): { readonly first_event_id: number; readonly last_event_id: number } {
    return { first_event_id: this.#events[0]?.id ?? this.#lastId + 1, last_event_id: this.#lastId };
  }

  add(name: string, data: object): void {
    const event = { id: ++this.#lastId, name, data };
    this.#events.push(event);
    if (this.#events.length > this.#most) this.#events.shift();
    for (const read of [...this.#readers]) read(event);
  }

  /** Reads all that is kept behind this event, and then each new one until it is disposed of. */
  follow(afterId: number, read: Reader): Disposable {
    for (const event of this.#events) if (event.id > afterId) read(event);
    this.#readers.add(read);
    return { [Symbol.dispose]: () => void this.#readers.delete(read) };
  }
}
