import { setTimeout as sleep } from "node:timers/promises";
import type { Deed } from "../../agents/deed.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { Source } from "../../domain/session/evidence.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { shortSignal } from "../../domain/supervise/short-signal.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { decideParsed, type ParsedPiece, type Recordable } from "../../history/decide-parsed.ts";
import { type Context, nowOf, stamp } from "../../record/context.ts";
import type { Pricing } from "../pricing.ts";
import type { ActivityWatch } from "../session/activity-watch.ts";
import type {
  DeliveryPort,
  Facts,
  FinderPort,
  IntakePort,
  Logs,
  Loop,
  Place,
  SourcesPort,
  SubagentsPort,
  TranscriptPort,
} from "../session/ports.ts";
import type { KeptMemory } from "./kept-memory.ts";
import { Unsettled } from "./unsettled.ts";

/** A hook is a process of its own, and leaves a file. */
const HOOK_MS = 500;

/** The last word of each source, for `explain`. */
type LastWords = ReadonlyMap<Source, { readonly signal: Signal; readonly at: string }>;

interface Ports
  extends Facts,
    Logs,
    Pick<Loop, "observe">,
    SourcesPort,
    TranscriptPort,
    FinderPort,
    SubagentsPort,
    DeliveryPort {
  readonly context: Context;
  readonly memory: KeptMemory;
  readonly activity: ActivityWatch;
  readonly pricing: Pick<Pricing, "now">;
  redact<T>(value: T): T;
  /** Follows the row after a commit that changed no state. */
  learned(row: SessionRow): Promise<void>;
}

/** Takes what the parsers of an agent found into the record, redacted. */
export class Intake implements Pick<IntakePort["intake"], keyof IntakePort["intake"]> {
  readonly #session: Ports;
  readonly #lastWords = new Map<Source, { signal: Signal; at: string }>();
  #hook = Promise.withResolvers<void>();
  readonly #unsettled = new Unsettled((signal) => void this.#tellLasted(signal));
  readonly #takers = new Set<(text: string) => void>();

  constructor(session: Ports) {
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

  /** Parses one piece with what the parsers remember of those before it. */
  async parsed(parse: (memory: Memory) => Parsed, place: Place | null = null): Promise<void> {
    const parsed = parse(this.#session.memory.all);
    if (parsed.awaits === "hook") await this.#nextHook();
    else if (parsed.awaits === "transcript") await this.#session.sources.catchUp();
    else return this.take(parsed, place);
    await this.take(parse(this.#session.memory.all), place);
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
  async take(parsed: Parsed, place: Place | null = null): Promise<void> {
    const { memory, transcript, reply } = parsed;
    if (memory) this.#session.memory.merge(memory);
    if (parsed.child !== undefined) return this.#session.subagents.lookSoon();
    const { identity, entries, totals, signal, unknown, ...spent } = this.#session.redact(parsed);
    const usage = this.#usageOf(spent);
    if (parsed.doneChildren !== undefined) this.#session.subagents.finish(parsed.doneChildren);
    if (transcript !== undefined) this.#session.transcript.follow(transcript);
    if (transcript !== undefined) this.#session.subagents.lookSoon();
    if (reply !== undefined) await this.#reply(reply);
    for (const text of parsed.taken ?? []) for (const tell of [...this.#takers]) tell(text);
    const opensTurn = parsed.turn?.isBegun === true || place?.opensTurn === true;
    const said = { at: parsed.at, identity, usage, entries, totals, unknown };
    await this.#write(said, place, opensTurn);
    if (entries && entries.length > 0) this.#session.activity.addEntries(entries, parsed.at);
    if (parsed.awaits === "turn") await this.#session.transcript.readTurn();
    if (signal) await this.signal(signal);
  }

  #usageOf({ usage, untimedUsage }: Pick<Parsed, "usage" | "untimedUsage">): Parsed["usage"] {
    if (untimedUsage === undefined) return usage;
    const at = nowOf(this.#session.context);
    return [...(usage ?? []), ...untimedUsage.map((request) => ({ ...request, at }))];
  }

  /** An agent that left in the same moment needs no answer. */
  async #reply(reply: Deed): Promise<void> {
    const { log, id } = this.#session;
    await this.#session.delivery
      .deliver(reply)
      .catch((error: unknown) =>
        log.warn({ session: id, err: error }, "could not answer the agent's protocol"),
      );
  }

  async signal(signal: Signal): Promise<void> {
    const { sources, transcriptFinder } = this.#session;
    // A reader who sees that it rests or asks also sees what it said before; the transcript itself has just said it.
    if (signal.says !== "working" && signal.source !== "transcript") await sources.catchUp();
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
    const { carrying, context } = this.#session;
    this.#lastWords.set(signal.source, { signal: shortSignal(signal), at: nowOf(context) });
    await this.#session.observe({ saw: "signal", signal, trust: carrying.mode.trust });
  }

  async #tellLasted(signal: Signal): Promise<void> {
    const { log, id } = this.#session;
    await this.#tell(signal).catch((error: unknown) =>
      log.error({ session: id, err: error }, "could not record a parsed piece"),
    );
  }

  /** Identity, entries and usage of one piece, in one commit. */
  async #write(parsed: Recordable, place: Place | null, opensTurn = false): Promise<void> {
    const { identity, totals, unknown, entries = [], usage = [] } = parsed;
    const isEmpty = [identity, totals, unknown, place?.rewoundSince].every((one) => one === undefined);
    if (isEmpty && entries.length + usage.length === 0) return;
    const { id, carrying, context, pricing } = this.#session;
    const piece: ParsedPiece = {
      ...parsed,
      price: usage.length === 0 ? undefined : await pricing.now(),
      ...place,
      opensTurn,
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
