import { setTimeout as sleep } from "node:timers/promises";
import type { Notes, Seen } from "../../agents/agent.ts";
import type { Source } from "../../domain/session/evidence.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { Stream } from "../../host/holder-message.ts";
import { nowOf, stamp } from "../../record/context.ts";
import type { LiveSession } from "../session/live-session.ts";
import { decideParsed, type Parsed, type ParsedPiece } from "./decide-parsed.ts";
import { Unsettled } from "./unsettled.ts";

/** Where in an agent's output or transcript something was said: saying it twice adds it once. */
export interface Place {
  readonly key: string;
  /** What the key belongs to; the launch where nothing else is said. */
  readonly of?: string;
  readonly consumed?: { readonly stream: Stream; readonly offset: number };
  /** The text of a user here begins a turn of its own. */
  readonly opensTurn?: boolean;
}

/** A hook is a process of its own, and leaves a file. */
const HOOK_MS = 500;

/** The last word of each source, for `explain`. */
type LastWords = ReadonlyMap<Source, { readonly signal: Signal; readonly at: string }>;

/** What the parsers of an agent find goes into the record through here, redacted. */
export class Intake {
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
    const entries = [{ role: "system", kind: "notice", text, tool: null }] as const;
    await this.#write({ entries }, { key: `notice-${key}` });
  }

  /** Identity and usage first, so that whoever sees the new state sees them too. */
  async take(seen: Seen, place: Place | null = null): Promise<void> {
    const { notes, transcript, reply } = seen;
    const { identity, usage, entries, signal } = this.#session.redact(seen);
    if (notes) this.#session.notes.add(notes);
    if (transcript !== undefined) this.#session.transcript.follow(transcript);
    if (reply !== undefined) this.#session.follower.connection?.input(reply);
    for (const text of seen.taken ?? []) for (const tell of [...this.#takers]) tell(text);
    await this.#write({ at: seen.at, identity, usage, entries }, place);
    if (entries && entries.length > 0) this.#session.activity.addEntries(entries, seen.at);
    if (seen.awaits === "turn") await this.#session.transcript.readTurn();
    if (signal) await this.signal(signal);
  }

  async signal(signal: Signal): Promise<void> {
    const { transcript, transcriptFinder } = this.#session;
    // Whoever sees that it rests or asks also sees what it said before; the transcript itself has just said it.
    if (signal.says !== "working" && signal.source !== "transcript") await transcript.readRest();
    if (signal.says === "working") transcriptFinder.begin();
    if (signal.settleMs !== undefined && this.#unsettled.holds(signal)) return;
    const held = this.#unsettled.take();
    // A rest that was held back is for an agent that says nothing more; it does.
    if (held && !isRest(held) && !isRest(signal)) await this.#tell(held);
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
    await this.#session.observe({ saw: "signal", signal, trust: carrying.agent.trust(carrying.kind) });
  }

  async #tellLasted(signal: Signal): Promise<void> {
    const { services, id } = this.#session;
    await this.#tell(signal).catch((error: unknown) =>
      services.log.error({ session: id, err: error }, "what the agent said could not be kept"),
    );
  }

  /** Identity, entries and usage of one piece, in one commit. */
  async #write(parsed: Parsed, place: Place | null) {
    const { identity, entries = [], usage = [] } = parsed;
    if (identity === undefined && entries.length + usage.length === 0) return;
    const { id, carrying, services } = this.#session;
    const { context } = services;
    const piece: ParsedPiece = {
      ...parsed,
      ...place,
      now: nowOf(context),
      stamp: (body, at) => stamp(context, body, at),
      key: place === null ? undefined : `${place.of ?? carrying.launch.marker}-${place.key}`,
    };
    const change = await context.store.change(id, (row) => (row ? decideParsed(row, piece) : []));
    if (change.events.length === 0) return;
    await this.#session.learned(change.row);
    if (change.events.some(({ body }) => body.kind === "identified") && identity?.agentVersion !== undefined)
      await this.#tellUntested(identity.agentVersion);
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
}

/** It rests: what it seemed to begin was nothing, or is over. */
function isRest({ says }: Signal): boolean {
  return says === "ready" || says === "loading";
}
