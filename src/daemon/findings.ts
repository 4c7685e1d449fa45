import { setTimeout as sleep } from "node:timers/promises";
import type { Notes, Seen } from "../agents/agent.ts";
import type { Source } from "../domain/evidence.ts";
import type { Signal } from "../domain/signal.ts";
import type { Stream } from "../host/holder-message.ts";
import { nowOf, stamp } from "../record/context.ts";
import type { LiveSession } from "./live-session.ts";
import { Unsettled } from "./unsettled.ts";

/** Where in an agent's output or transcript something was said: saying it twice adds it once. */
export interface Place {
  readonly key: string;
  /** What the key belongs to; the launch where nothing else is said. */
  readonly of?: string;
  readonly consumed?: { readonly stream: Stream; readonly offset: number };
}

/** A hook is a process of its own, and leaves a file. */
const HOOK_MS = 500;

/** The last word of each source, for `explain`. */
type LastWords = ReadonlyMap<Source, { readonly signal: Signal; readonly at: string }>;

/** What the parsers of an agent find goes into the record through here, redacted. */
export class Findings {
  readonly #session: LiveSession;
  readonly #lastWords = new Map<Source, { signal: Signal; at: string }>();
  #hook = Promise.withResolvers<void>();
  readonly #unsettled = new Unsettled((signal) => void this.#tellLasted(signal));
  readonly #takers = new Set<(text: string) => void>();

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** Tells of every text that the agent shows to have, until it is disposed of. */
  onTaken(tell: (text: string) => void): Disposable {
    this.#takers.add(tell);
    return { [Symbol.dispose]: () => void this.#takers.delete(tell) };
  }

  /** Whether anybody waits to be told what the agent has taken. */
  get isAwaited(): boolean {
    return this.#takers.size > 0;
  }

  stop(): void {
    this.#unsettled.take();
  }

  get lastWords(): LastWords {
    return this.#lastWords;
  }

  /** What a parser makes of one piece, with what it noted of those before. */
  async parsed(parse: (notes: Notes) => Seen, place: Place | null = null): Promise<void> {
    const seen = parse(this.#session.notes.all);
    if (seen.awaits !== "hook") return this.take(seen, place);
    await this.#nextHook();
    await this.take(parse(this.#session.notes.all), place);
  }

  /** A hook was taken in. */
  sawHook(): void {
    this.#hook.resolve();
    this.#hook = Promise.withResolvers();
  }

  async #nextHook(): Promise<void> {
    await Promise.race([this.#hook.promise, sleep(HOOK_MS)]);
  }

  /** Something that a person has to know of this launch, said once. */
  async notice(key: string, text: string): Promise<void> {
    await this.#addEntries([{ role: "system", kind: "notice", text, tool: null }], { key: `notice-${key}` });
  }

  /** Identity and usage first, so that whoever sees the new state sees them too. */
  async take(seen: Seen, place: Place | null = null): Promise<void> {
    const { notes, transcript, reply } = seen;
    const { identity, usage, entries, signal } = this.#session.redact(seen);
    const { rollcall } = this.#session.services;
    if (notes) this.#session.notes.add(notes);
    if (transcript !== undefined) this.#session.transcript.follow(transcript);
    if (reply !== undefined) this.#session.follower.connection?.input(reply);
    for (const text of seen.taken ?? []) for (const tell of [...this.#takers]) tell(text);
    if (identity) await this.#identify(identity);
    if (usage && usage.length > 0) await rollcall.recordUsage(this.#session.id, usage);
    if (entries && entries.length > 0) await this.#addEntries(entries, place);
    if (seen.awaits === "turn") await this.#session.transcript.readTurn();
    if (signal) await this.signal(signal);
  }

  async signal(signal: Signal): Promise<void> {
    const { transcript, transcriptFinder } = this.#session;
    // Whoever sees that it rests or asks also sees what it said before; the transcript itself has just said it.
    if (signal.says !== "working" && signal.source !== "transcript") await transcript.readRest();
    if (signal.says === "working") {
      transcript.beginTurn();
      transcriptFinder.begin();
    }
    const held = this.#unsettled.take();
    if (held && !isRest(signal)) await this.#tell(held);
    if (signal.settleMs === undefined) await this.#tell(signal);
    else this.#unsettled.hold(signal, signal.settleMs);
  }

  /** Something else shows that the agent does what it said. */
  async settle(): Promise<void> {
    const held = this.#unsettled.take();
    if (held) await this.#tell(held);
  }

  async #tell(signal: Signal): Promise<void> {
    const { carrying, services } = this.#session;
    this.#lastWords.set(signal.source, { signal, at: nowOf(services.context) });
    await this.#session.sight({ saw: "signal", signal, trust: carrying.agent.trust(carrying.kind) });
  }

  async #tellLasted(signal: Signal): Promise<void> {
    const { services, id } = this.#session;
    await this.#tell(signal).catch((error: unknown) =>
      services.log.error({ session: id, err: error }, "what the agent said could not be kept"),
    );
  }

  /** A transcript that is read again says again who it is. */
  async #identify(identity: NonNullable<Seen["identity"]>): Promise<void> {
    const row = await this.#session.row();
    const names = Object.keys(identity) as (keyof typeof identity)[];
    if (!row || names.every((name) => row[name] === identity[name])) return;
    await this.#session.append([{ kind: "identified", identity }]);
    if (identity.agentVersion !== undefined) await this.#tellUntested(identity.agentVersion);
  }

  /** A release that nobody has measured works, as a rule; whoever wonders about a state should know. */
  async #tellUntested(version: string): Promise<void> {
    const { testedVersion, type } = this.#session.carrying.agent;
    if (testedVersion === null || version === testedVersion) return;
    await this.notice(
      "untested",
      `Rollcall was not tested with ${type} ${version}, only with ${testedVersion}; its states may be less exact.`,
    );
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

/** It rests: what it seemed to begin was nothing, or is over. */
function isRest({ says }: Signal): boolean {
  return says === "ready" || says === "loading";
}
