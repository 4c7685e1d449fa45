import { constants } from "node:os";
import type { FeedEvent } from "../../domain/event.ts";
import type { SessionRecord } from "../../domain/session.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { attachTo } from "../attach.ts";
import { describeError, type Output } from "../output.ts";
import { canAttach, isAsking, isWaiting } from "../roll-order.ts";
import { DaemonWatch } from "./daemon-watch.ts";
import { Deeds, nameOf } from "./deeds.ts";
import { Fleet } from "./fleet.ts";
import type { Key } from "./keys.ts";
import { FullScreen } from "./screen.ts";
import { frameOf } from "./view.ts";

/** Events that come closer together than this are shown together. */
const TOGETHER_MS = 200;
const STEPS = { up: -1, down: 1, first: Number.NEGATIVE_INFINITY, last: Number.POSITIVE_INFINITY } as const;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The live roll. Sleeps until the store's feed, a key or, for the times it shows, a second wakes it. */
export class Top {
  readonly #rollcall: Rollcall;
  readonly #output: Output;
  readonly #note: string | undefined;
  readonly #fleet: Fleet;
  readonly #daemon: DaemonWatch;
  readonly #deeds: Deeds;
  readonly #screen: FullScreen;
  readonly #left = Promise.withResolvers<number>();
  readonly #stop = new AbortController();
  #events: FeedEvent[] = [];
  #readTimer: NodeJS.Timeout | undefined;
  #selected: string | undefined;
  #message: string | undefined;
  /** The session whose end waits for a yes. */
  #ending: SessionRecord | undefined;
  #hasChosen = false;
  /** While an attached session has the terminal. */
  #away: Promise<void> | undefined;
  #isLeaving = false;

  constructor(rollcall: Rollcall, output: Output, note: string | undefined) {
    this.#rollcall = rollcall;
    this.#output = output;
    this.#note = note;
    this.#fleet = new Fleet(rollcall);
    this.#daemon = new DaemonWatch(rollcall.context.home, () => this.#draw());
    this.#deeds = new Deeds(this.#daemon);
    this.#screen = new FullScreen(output, {
      key: (key) => this.#press(key),
      resized: () => this.#draw(),
      lost: () => this.#left.resolve(0),
    });
  }

  /** Resolves with the exit code when the person leaves. */
  async run(): Promise<number> {
    for (const signal of SIGNALS)
      process.on(signal, () => this.#left.resolve(128 + constants.signals[signal]));
    const after = await this.#rollcall.feedEnd();
    await Promise.all([this.#fleet.read([]), this.#daemon.look()]);
    this.#screen.open();
    this.#draw();
    const ticking = setInterval(() => this.#rows.length > 0 && this.#draw(), 1000);
    void this.#follow(after);
    try {
      return await this.#left.promise;
    } finally {
      this.#isLeaving = true;
      // Whoever has the terminal puts it in order first.
      await this.#away;
      clearInterval(ticking);
      clearTimeout(this.#readTimer);
      this.#stop.abort();
      this.#daemon[Symbol.dispose]();
      this.#screen[Symbol.dispose]();
    }
  }

  async #follow(after: string): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const event of this.#rollcall.feed({ after, follow: true, signal })) {
        this.#events.push(event);
        this.#readTimer ??= setTimeout(() => void this.#read(), TOGETHER_MS);
      }
    } catch (error) {
      this.#left.reject(error);
    }
  }

  async #read(): Promise<void> {
    const events = this.#events;
    this.#events = [];
    this.#readTimer = undefined;
    try {
      await this.#daemon.look();
      if (await this.#fleet.read(events)) this.#screen.ring();
    } catch (error) {
      this.#message = describeError(error).message;
    }
    this.#draw();
  }

  /** Only what differs from what is shown reaches the terminal. */
  #draw(): void {
    const now = this.#rollcall.context.now();
    const rows = this.#fleet.rows(now);
    const selected = rows.find(({ session }) => session.id === this.#selected)?.session;
    // Until someone chooses, the first is meant; but never another than was read when a key answers it.
    if (!selected || (!this.#hasChosen && !isAsking(selected))) this.#selected = rows[0]?.session.id;
    const view = {
      rows,
      now,
      selected: this.#selected,
      isDaemonRunning: this.#daemon.isRunning,
      note: this.#note,
      message: this.#ending ? `End ${nameOf(this.#ending)} and all its processes? y/n` : this.#message,
    };
    try {
      this.#screen.draw(frameOf(view, this.#screen.size));
    } catch (error) {
      this.#left.reject(error);
    }
  }

  #press(key: Key): void {
    if (this.#away) return;
    this.#message = undefined;
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending) this.#answerEnding(ending, key);
    else this.#act(key);
    this.#draw();
  }

  #answerEnding(session: SessionRecord, key: Key): void {
    if (typeof key === "object" && key.text === "y")
      this.#say(`Ending ${nameOf(session)} …`, this.#deeds.end(session));
    else if (key === "leave") this.#left.resolve(0);
  }

  #act(key: Key): void {
    if (key === "leave") this.#left.resolve(0);
    else if (key === "enter") this.#attach(this.#session);
    else if (typeof key === "object") this.#type(key.text);
    else this.#move(STEPS[key]);
  }

  #type(letter: string): void {
    const session = this.#session;
    if (!session) return;
    if (letter === "n") this.#attachToNext();
    else if (letter === "a") this.#say("Approving …", this.#deeds.decide(session, "approve"));
    else if (letter === "d") this.#say("Denying …", this.#deeds.decide(session, "deny"));
    else if (letter === "e") this.#ending = session;
    else if (letter >= "1" && letter <= "9")
      this.#say("Answering …", this.#deeds.choose(session, Number(letter)));
  }

  get #rows(): readonly SessionRecord[] {
    return this.#fleet.rows(this.#rollcall.context.now()).map(({ session }) => session);
  }

  get #session(): SessionRecord | undefined {
    return this.#rows.find(({ id }) => id === this.#selected);
  }

  #move(by: number): void {
    const rows = this.#rows;
    this.#hasChosen = true;
    const at = rows.findIndex(({ id }) => id === this.#selected) + by;
    this.#selected = rows[Math.max(0, Math.min(at, rows.length - 1))]?.id;
  }

  #say(meanwhile: string, deed: Promise<string>): void {
    this.#message = meanwhile;
    void deed.then((sentence) => {
      this.#message = sentence;
      this.#draw();
    });
  }

  #attachToNext(): void {
    const next = this.#rows.find((session) => isWaiting(session) && canAttach(session));
    if (next) this.#attach(next);
    else this.#message = "No session waits for you.";
  }

  #attach(session: SessionRecord | undefined): void {
    if (session) this.#away = this.#goTo(session).finally(() => (this.#away = undefined));
  }

  /** The terminal is the session's until it is left; then the roll is back. */
  async #goTo(session: SessionRecord): Promise<void> {
    this.#selected = session.id;
    this.#screen.close();
    try {
      await attachTo(this.#rollcall, this.#output, session.id);
    } catch (error) {
      this.#message = describeError(error).message;
    }
    if (this.#isLeaving) return;
    this.#screen.open();
    this.#draw();
  }
}
