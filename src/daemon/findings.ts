import type { Seen } from "../agents/agent.ts";
import type { Source } from "../domain/evidence.ts";
import type { Signal } from "../domain/signal.ts";
import type { Stream } from "../host/holder-message.ts";
import { nowOf, stamp } from "../record/context.ts";
import type { LiveSession } from "./live-session.ts";

/** Where in an agent's output or transcript something was said: saying it twice adds it once. */
export interface Place {
  readonly key: string;
  /** What the key belongs to; the launch where nothing else is said. */
  readonly of?: string;
  readonly consumed?: { readonly stream: Stream; readonly offset: number };
}

/** The last word of each source, for `explain`. */
type LastWords = ReadonlyMap<Source, { readonly signal: Signal; readonly at: string }>;

/** What the parsers of an agent find goes into the record through here, redacted. */
export class Findings {
  readonly #session: LiveSession;
  readonly #lastWords = new Map<Source, { signal: Signal; at: string }>();

  constructor(session: LiveSession) {
    this.#session = session;
  }

  get lastWords(): LastWords {
    return this.#lastWords;
  }

  /** Identity and usage first, so that whoever sees the new state sees them too. */
  async take(seen: Seen, place: Place | null = null): Promise<void> {
    const { identity, usage, entries, signal } = this.#session.redact(seen);
    const { rollcall } = this.#session.services;
    if (identity) await this.#identify(identity);
    if (usage && usage.length > 0) await rollcall.recordUsage(this.#session.id, usage);
    if (entries && entries.length > 0) await this.#addEntries(entries, place);
    if (signal) await this.signal(signal);
  }

  async signal(signal: Signal): Promise<void> {
    const { carrying, services, transcript } = this.#session;
    // Whoever sees that it rests or asks also sees what it said before.
    if (signal.says !== "working") await transcript.readRest();
    this.#lastWords.set(signal.source, { signal, at: nowOf(services.context) });
    await this.#session.sight({ saw: "signal", signal, trust: carrying.agent.trust(carrying.kind) });
  }

  /** A transcript that is read again says again who it is. */
  async #identify(identity: NonNullable<Seen["identity"]>): Promise<void> {
    const row = await this.#session.row();
    const names = Object.keys(identity) as (keyof typeof identity)[];
    if (row && names.some((name) => row[name] !== identity[name]))
      await this.#session.append([{ kind: "identified", identity }]);
  }

  async #addEntries(entries: NonNullable<Seen["entries"]>, place: Place | null): Promise<void> {
    const { id, carrying, services } = this.#session;
    const { context } = services;
    const events = entries.map((entry, index) => {
      const consumed = index === entries.length - 1 && place?.consumed ? { consumed: place.consumed } : {};
      const event = stamp(context, { kind: "entry_added", entry, ...consumed });
      return place === null
        ? event
        : { ...event, id: `${place.of ?? carrying.launch.marker}-${place.key}-${index}` };
    });
    const change = await context.store.change(id, (row) => (row ? events : []));
    if (change.events.length > 0 && change.row.hasFile) await context.files.follow(id);
  }
}
