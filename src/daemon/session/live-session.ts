import type { Target } from "../../agents/agent.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import type { Action, Observation } from "../../domain/supervise/observation.ts";
import { decide } from "../../domain/supervise/supervise.ts";
import { launchFolder } from "../../home/launch-folder.ts";
import { type Config, durationOf } from "../../home/settings.ts";
import { nowOf, stamp } from "../../record/context.ts";
import { askedContext } from "../asker.ts";
import { configNow } from "../config-now.ts";
import { faultPoint } from "../fault-point.ts";
import { Intake } from "../intake/intake.ts";
import { KeptNotes } from "../intake/kept-notes.ts";
import { cleanUp } from "../launch/clean-up.ts";
import type { Services } from "../services.ts";
import { Follower } from "../sources/follower.ts";
import { LiveFile } from "../sources/live-file.ts";
import { ScreenWatch } from "../sources/screen-watch.ts";
import { TranscriptFinder } from "../sources/transcript-finder.ts";
import { TranscriptReader } from "../sources/transcript-reader.ts";
import { ActivityWatch } from "./activity-watch.ts";
import type { Carrying } from "./carrying.ts";
import type { AskedBy, Committed } from "./committed.ts";
import { EndTree } from "./end-tree.ts";
import { Input } from "./input.ts";
import { Limits } from "./limits.ts";
import { Pausing } from "./pausing.ts";
import { lookForTraces } from "./traces.ts";
import { FIRST_LOOK_MS } from "./tree-watch.ts";

const RECORD_AGAIN_MS = 5000;

/**
 * One launch of one session while the daemon has to do with it. Whatever is seen of it is decided and committed one
 * after the other, and then done. Holds nothing that the record, the folder of the launch and the holder do not.
 */
export class LiveSession {
  readonly carrying: Carrying;
  readonly services: Services;
  readonly folder: string;
  readonly follower: Follower;
  readonly input: Input;
  readonly screen: ScreenWatch;
  readonly transcript: TranscriptReader;
  readonly transcriptFinder: TranscriptFinder;
  readonly intake: Intake;
  readonly activity: ActivityWatch;
  readonly notes: KeptNotes;
  readonly liveFile: LiveFile;
  readonly pausing: Pausing;
  readonly #limits: Limits;
  readonly #endTree: EndTree;
  readonly #whenClosed: () => void;
  readonly #closed = Promise.withResolvers<void>();
  #queue: Promise<unknown> = Promise.resolve();
  /** As the row has it. */
  #nativeId: string | null = null;
  /** It looks at nothing any more; once it is closed, the session can be carried anew. */
  isClosing = false;
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(services: Services, carrying: Carrying, closed: () => void) {
    this.services = services;
    this.carrying = carrying;
    this.folder = launchFolder(services.places.home, carrying.launch.marker);
    this.#whenClosed = closed;
    this.follower = new Follower(this);
    this.input = new Input(this);
    this.screen = new ScreenWatch(this);
    this.notes = new KeptNotes(this.folder);
    this.liveFile = new LiveFile(this);
    this.transcript = new TranscriptReader(this);
    this.transcriptFinder = new TranscriptFinder(this);
    this.intake = new Intake(this);
    this.activity = new ActivityWatch(services.context.now, () => this.follower.observeSoon());
    this.#limits = new Limits(this);
    this.#endTree = new EndTree(this);
    this.pausing = new Pausing(this);
  }

  get id(): string {
    return this.carrying.id;
  }

  get config(): Config {
    return configNow(this.services, this.carrying.launch.cwd);
  }

  /** Whom this agent's controls speak to. */
  get target(): Target {
    return { kind: this.carrying.kind, nativeId: this.#nativeId, notes: this.notes.all };
  }

  /** Resolves when nothing of it is left, its folder included. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Observe, decide, act: the events are committed when this resolves, and what follows from them was begun. */
  async observe(observation: Observation, asked: AskedBy = {}): Promise<Committed> {
    const { channel = null, inputId } = asked;
    const context = askedContext(this.services.context, channel);
    return this.#inOrder(async () => {
      const at = nowOf(context);
      let actions: readonly Action[] = [];
      const change = await context.store.change(this.id, (row) => {
        actions = row ? decide(row, { observation, generation: this.carrying.generation, at }) : [];
        return actions.flatMap((action) => {
          if (action.do !== "append") return [];
          const event = { ...stamp(context, this.redact(action.body), at), channel };
          return [
            inputId !== undefined && event.body.kind === "input_given" ? { ...event, id: inputId } : event,
          ];
        });
      });
      const { row, events } = change;
      if (events.length > 0) await this.#committed(row);
      for (const action of actions) await this.#act(action);
      return { row, events, seq: events.at(-1)?.seq ?? row.seq };
    });
  }

  /** Adds events that need no decision. */
  async append(bodies: readonly EventBody[], channel: Channel | null = null): Promise<Committed> {
    const context = askedContext(this.services.context, channel);
    return this.#inOrder(async () => {
      const change = await context.store.change(this.id, (row) =>
        row ? bodies.map((body) => ({ ...stamp(context, this.redact(body)), channel })) : [],
      );
      const { row, events } = change;
      await this.learned(row);
      return { row, events, seq: events.at(-1)?.seq ?? row.seq };
    });
  }

  /** After a commit that changed no state. */
  async learned(row: SessionRow): Promise<void> {
    this.#nativeId = row.nativeId;
    if (row.hasFile) await this.services.context.files.follow(this.id);
    this.input.follow(row);
  }

  redact<T>(value: T): T {
    return this.carrying.redactor.value(value);
  }

  async row(): Promise<SessionRow | undefined> {
    return (await this.services.context.store.find(this.id))?.row;
  }

  /** Connects to the living holder and catches up with what was asked for while there was none. */
  async adopt(): Promise<void> {
    await this.follower.begin();
    const stored = await this.services.context.store.find(this.id);
    this.activity.restore(stored?.observed.activity ?? null);
    const row = stored?.row;
    if (!row?.carried || !this.follower.connection) return;
    this.#nativeId = row.nativeId;
    this.transcript.begin(row.turns > 0);
    this.transcriptFinder.begin();
    this.liveFile.begin();
    this.follower.show(row);
    this.screen.follow(row);
    this.input.open();
    this.#limits.follow(row);
    this.input.follow(row);
    this.services.trees.look(this, FIRST_LOOK_MS);
    if (row.state === "stopping") this.#endTree.begin(durationOf(this.config, "end.grace"));
    if (row.state === "paused") this.pausing.begin();
  }

  /** Where nothing can be recorded its processes can still be ended: their exit is written down, and taken in later. */
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
    await this.follower.letGo();
    await this.#queue;
  }

  async #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #committed(row: SessionRow): Promise<void> {
    if (row.hasFile) await this.services.context.files.follow(this.id);
    this.#nativeId = row.nativeId;
    this.follower.show(row);
    this.screen.follow(row);
    this.#limits.follow(row);
    this.input.follow(row);
  }

  async #act(action: Action): Promise<void> {
    switch (action.do) {
      case "append":
        return;
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
      case "kill":
        return this.#kill(action.leftovers);
      case "close":
        return this.#close();
    }
  }

  /** What the agent said while it was paused was not believed: it is asked for again. */
  #goOn(): void {
    this.pausing.continue();
    void this.follower.refresh();
    this.liveFile.refresh();
  }

  /** Looks in a while, outside the queue that this may stand in. */
  look(afterMs: number): void {
    clearTimeout(this.#lookTimer);
    this.#lookTimer = setTimeout(() => void this.lookNow(), afterMs);
  }

  async lookNow(): Promise<void> {
    try {
      const row = await this.row();
      if (!row || this.isClosing) return;
      const traces = await lookForTraces(this, row);
      faultPoint("back.looked");
      const { exit, isHolderAlive } = traces.traces;
      if (exit && (!isHolderAlive || exit.tree.state === "empty")) await this.follower.readRest();
      await this.observe(traces);
    } catch (error) {
      this.services.log.error({ session: this.id, err: error }, "could not look for traces");
      this.look(RECORD_AGAIN_MS);
    }
  }

  #kill(leftovers: Extract<Action, { do: "kill" }>["leftovers"]): void {
    const { log } = this.services;
    log.warn({ session: this.id, pids: leftovers.map(({ pid }) => pid) }, "ending leftovers by their marker");
    const killed = this.services.leftovers.kill(this.carrying.launch.marker, leftovers);
    void killed.then((isGone) => this.look(isGone ? 0 : 5000));
  }

  #close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    this.#stopWatching();
    void this.#cleanUp();
  }

  #stopWatching(): void {
    clearTimeout(this.#lookTimer);
    this.services.trees.forget(this);
    this.#limits.stop();
    this.pausing.stop();
    this.#endTree.stop();
    this.intake.stop();
    this.screen.stop();
    this.transcript.stop();
    this.transcriptFinder.stop();
    this.liveFile.stop();
    this.input.stop();
  }

  async #cleanUp(): Promise<void> {
    await cleanUp(this);
    this.#whenClosed();
    this.#closed.resolve();
  }
}
