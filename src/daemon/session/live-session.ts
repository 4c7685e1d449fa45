import type { Logger } from "pino";
import type { Target } from "../../agents/deed.ts";
import type { EventBody, NewEvent } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { Instant } from "../../domain/time.ts";
import { launchFolder } from "../../home/launch-folder.ts";
import { type Config, durationOf } from "../../home/settings.ts";
import { type Context, nowOf, stamp } from "../../record/context.ts";
import { askedContext } from "../asker.ts";
import { configNow } from "../config-now.ts";
import { Delivery } from "../delivery/delivery.ts";
import { Intake } from "../intake/intake.ts";
import { KeptMemory } from "../intake/kept-memory.ts";
import { cleanUp } from "../launch/clean-up.ts";
import type { Services } from "../services.ts";
import { Follower } from "../sources/follower.ts";
import { ScreenWatch } from "../sources/screen-watch.ts";
import { SessionSources } from "../sources/session-sources.ts";
import { TranscriptFinder } from "../sources/transcript-finder.ts";
import { TranscriptReader } from "../sources/transcript-reader.ts";
import { SubagentWatch } from "../subagents/subagent-watch.ts";
import { ActivityWatch } from "./activity-watch.ts";
import type { Carrying } from "./carrying.ts";
import type { AskedBy, Committed } from "./committed.ts";
import { EndTree } from "./end-tree.ts";
import { Input } from "./input.ts";
import { Limits } from "./limits.ts";
import { LiveFactsWriter } from "./live-facts-writer.ts";
import { Pausing } from "./pausing.ts";
import { type Act, SessionLoop } from "./session-loop.ts";
import { TraceWatch } from "./trace-watch.ts";
import { FIRST_LOOK_MS } from "./tree-watch.ts";

const RECORD_AGAIN_MS = 5000;

/**
 * One launch of one session while the daemon has to do with it: puts its parts together, each of which knows the others
 * by their ports alone. Holds nothing that the record, the folder of the launch and the holder do not.
 */
export class LiveSession {
  readonly id: string;
  readonly carrying: Carrying;
  readonly folder: string;
  readonly context: Context;
  readonly log: Logger;
  readonly places: Services["places"];
  readonly programs: Services["programs"];
  readonly leftovers: Services["leftovers"];
  readonly screens: Services["screens"];
  readonly snapshots: Services["snapshots"];
  readonly slices: Services["slices"];
  readonly pricing: Services["pricing"];
  readonly observations: Services["observations"];
  readonly memory: KeptMemory;
  readonly activity: ActivityWatch;
  readonly liveFacts: LiveFactsWriter;
  readonly holder: Follower;
  readonly screen: ScreenWatch;
  readonly transcript: TranscriptReader;
  readonly transcriptFinder: TranscriptFinder;
  readonly subagents: SubagentWatch;
  readonly sources: SessionSources;
  readonly delivery: Delivery;
  readonly intake: Intake;
  readonly input: Input;
  readonly pausing: Pausing;
  readonly #services: Services;
  readonly #loop: SessionLoop;
  readonly #limits: Limits;
  readonly #traces: TraceWatch;
  readonly #endTree: EndTree;
  readonly #whenClosed: () => void;
  readonly #closed = Promise.withResolvers<void>();
  /** As the row has it. */
  #nativeId: string | null = null;
  /** It follows nothing any more; once it is closed, the session can be launched anew. */
  isClosing = false;

  constructor(services: Services, carrying: Carrying, closed: () => void) {
    this.#services = services;
    this.#whenClosed = closed;
    this.id = carrying.id;
    this.carrying = carrying;
    this.folder = launchFolder(services.places.home, carrying.launch.marker);
    this.context = services.context;
    this.log = services.log;
    this.places = services.places;
    this.programs = services.programs;
    this.leftovers = services.leftovers;
    this.screens = services.screens;
    this.snapshots = services.snapshots;
    this.slices = services.slices;
    this.pricing = services.pricing;
    this.observations = services.observations;
    this.memory = new KeptMemory(this.folder);
    this.activity = new ActivityWatch(services.context.now, () => this.liveFacts.writeSoon());
    this.liveFacts = new LiveFactsWriter(this);
    this.#loop = new SessionLoop(
      {
        change: async (decide) => this.context.store.change(this.id, decide),
        now: () => nowOf(this.context),
        stamper: (channel) => this.#stamper(channel),
        committed: async (row) => this.#committed(row),
        act: async (action) => this.#act(action),
      },
      carrying.generation,
    );
    this.holder = new Follower(this);
    this.screen = new ScreenWatch(this);
    this.transcript = new TranscriptReader(this);
    this.transcriptFinder = new TranscriptFinder(this);
    this.subagents = new SubagentWatch(this, carrying.agent);
    this.sources = new SessionSources(this);
    this.delivery = new Delivery(this);
    this.intake = new Intake(this);
    this.input = new Input(this);
    this.pausing = new Pausing(this);
    this.#limits = new Limits(this);
    this.#traces = new TraceWatch(this);
    this.#endTree = new EndTree(this);
  }

  get config(): Config {
    return configNow(this.#services, this.carrying.launch.cwd);
  }

  get target(): Target {
    return { nativeId: this.#nativeId, memory: this.memory.all };
  }

  now(): number {
    return this.context.now();
  }

  /** Resolves when nothing of it is left, its folder included. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async observe(observation: Observation, asked: AskedBy = {}): Promise<Committed> {
    return this.#loop.observe(observation, asked);
  }

  async append(bodies: readonly EventBody[], channel: Channel | null = null): Promise<Committed> {
    const stampIt = this.#stamper(channel);
    return this.#loop.inOrder(async () => {
      const { row, events } = await this.context.store.change(this.id, (before) =>
        before ? bodies.map((body) => stampIt(body)) : [],
      );
      await this.learned(row);
      return { row, events, seq: events.at(-1)?.seq ?? row.seq };
    });
  }

  /** After a commit that changed no state. */
  async learned(row: SessionRow): Promise<void> {
    this.#nativeId = row.nativeId;
    if (row.hasFile) await this.context.files.follow(this.id);
    this.input.follow(row);
  }

  redact<T>(value: T): T {
    return this.carrying.redactor.value(value);
  }

  async row(): Promise<SessionRow | undefined> {
    return (await this.context.store.find(this.id))?.row;
  }

  /** Connects to the living holder and begins every source. What is still to be done is decided afterwards. */
  async adopt(): Promise<void> {
    await this.holder.begin();
    const { row, observed } = (await this.context.store.find(this.id)) ?? {};
    this.activity.restore(observed?.activity ?? null);
    if (!row?.carried || !this.holder.connection) return;
    this.#nativeId = row.nativeId;
    this.sources.begin(row);
    this.input.open();
    this.#follow(row);
    this.#services.trees.look(this, FIRST_LOOK_MS);
    this.#services.sampler.begin(this);
    const adopted = { saw: "adopted", graceMs: durationOf(this.config, "end.grace") } as const;
    // Not awaited: this may be called from within the queue of observations.
    void this.observe(adopted).catch(() => this.look(RECORD_AGAIN_MS));
  }

  /** Ends its processes though nothing can be recorded: their exit is written down, and taken in later. */
  endUnrecorded(graceMs: number): void {
    this.#endTree.begin(graceMs);
    this.look(RECORD_AGAIN_MS);
  }

  /** An end that is asked for from inside begins when this resolves. */
  holdEnd(answered: Promise<void>): void {
    this.#endTree.holdUntil(answered);
  }

  /** The daemon leaves; the session does not. */
  async letGo(): Promise<void> {
    this.#stopWatching();
    await this.holder.letGo();
    await this.#loop.settled();
  }

  lookAtTree(): void {
    this.#services.trees.look(this);
    this.#services.sampler.touch(this);
  }

  lookAtTreeNow(): void {
    this.#services.trees.lookNow(this);
  }

  look(afterMs: number): void {
    this.#traces.look(afterMs);
  }

  async lookNow(): Promise<void> {
    await this.#traces.lookNow();
  }

  /** The caller is known now; it is not any more when an event is made inside a transaction. */
  #stamper(channel: Channel | null): (body: EventBody, at?: Instant) => NewEvent {
    const context = askedContext(this.context, channel);
    return (body, at) => ({ ...stamp(context, this.redact(body), at), channel });
  }

  async #committed(row: SessionRow): Promise<void> {
    if (row.hasFile) await this.context.files.follow(this.id);
    this.#nativeId = row.nativeId;
    this.#follow(row);
  }

  #follow(row: SessionRow): void {
    this.holder.show(row);
    this.screen.follow(row);
    this.#limits.follow(row);
    this.input.follow(row);
  }

  #act(action: Act): Promise<void> | void {
    switch (action.do) {
      case "end_tree":
        return this.#endTree.begin(action.graceMs);
      case "give_text":
        return this.input.giveFirstText();
      case "close_input":
        return this.input.close();
      case "pause_tree":
        return this.pausing.begin();
      case "continue_tree":
        return this.#goOn();
      case "adopt":
        return this.adopt();
      case "look_for_traces":
        return this.look(0);
      case "look_again":
        return this.look(action.afterMs);
      case "check_limit":
        return this.#limits.check(action.limit, action.afterMs);
      case "kill":
        return this.#traces.kill(action.leftovers);
      case "close":
        return this.#close();
    }
  }

  /** Nothing that the agent said while it was paused was believed: it is asked for again. */
  #goOn(): void {
    this.pausing.continue();
    void this.holder.refresh();
    this.sources.refresh();
  }

  #close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.#stopWatching();
    void this.#cleanUp();
  }

  #stopWatching(): void {
    this.#traces.stop();
    this.#services.trees.forget(this);
    this.#services.sampler.forget(this);
    this.#limits.stop();
    this.pausing.stop();
    this.#endTree.stop();
    this.intake.stop();
    this.sources.stop();
    this.input.stop();
  }

  async #cleanUp(): Promise<void> {
    await cleanUp(this.#services, this);
    this.#whenClosed();
    this.#closed.resolve();
  }
}
