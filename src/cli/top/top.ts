import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { nextWaiting, type Visits } from "../../present/next-waiting.ts";
import { canAttach } from "../../present/roll-order.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { describeError, type Output } from "../framework/output.ts";
import { FullScreen } from "../full-screen/full-screen.ts";
import type { Key } from "../full-screen/keys.ts";
import { attachTo } from "../sessions/attach.ts";
import { terminalsOf } from "../terminals.ts";
import { Actions, nameOf } from "./actions.ts";
import { DaemonWatch } from "./daemon-watch.ts";
import { Fleet } from "./fleet.ts";
import { EMPTY_LINE, edit, type Line, textOf } from "./line-editor.ts";
import { Selection } from "./selection.ts";
import { frameOf, helpOf } from "./view.ts";

/** Events that come closer together than this are shown together. */
const TOGETHER_MS = 200;
/** The activity of sessions is observed without an event. */
const OBSERVED_MS = 2000;
const STEPS = { up: -1, down: 1, first: Number.NEGATIVE_INFINITY, last: Number.POSITIVE_INFINITY } as const;
const LETTERS: Readonly<Record<string, Key>> = { k: "up", j: "down", g: "first", G: "last", q: "leave" };
const CHANGED = "It changed just now. Look again before you press a key for it.";

/** A question that has to be answered before keys mean anything else. */
type Dialog =
  | { readonly asks: "end"; readonly session: SessionRecord }
  | { readonly asks: "text"; readonly session: SessionRecord; readonly line: Line }
  /** No text can be given now: one that is typed all the same must not mean keys. */
  | { readonly asks: "nothing"; readonly refusal: string }
  | { readonly asks: "help" };

/** The live roll. Sleeps until the store's feed, a key or, for the times it shows, a second wakes it. */
export class Top {
  readonly #rollcall: Rollcall;
  readonly #output: Output;
  readonly #note: string | undefined;
  readonly #fleet: Fleet;
  readonly #daemon: DaemonWatch;
  readonly #actions: Actions;
  readonly #screen: FullScreen;
  readonly #selection = new Selection(() => performance.now());
  readonly #left = Promise.withResolvers<number>();
  readonly #stop = new AbortController();
  #events: FeedEvent[] = [];
  #readTimer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #message: string | undefined;
  #dialog: Dialog | undefined;
  #visits: Visits = {};
  /** While an attached session has the terminal. */
  #away: Promise<void> | undefined;
  #isLeaving = false;

  constructor(rollcall: Rollcall, output: Output, note: string | undefined) {
    this.#rollcall = rollcall;
    this.#output = output;
    this.#note = note;
    this.#fleet = new Fleet(rollcall);
    this.#daemon = new DaemonWatch(rollcall.context.home, () => this.#draw());
    this.#actions = new Actions(this.#daemon);
    this.#screen = new FullScreen(output, {
      needs: "top",
      hint: "`rollcall` prints the same once, and `rollcall events -f` what happens.",
      key: (key) => this.#press(key),
      resized: () => this.#draw(),
      leave: (exitCode) => this.#left.resolve(exitCode),
    });
  }

  /** Resolves with the exit code when the person leaves. */
  async run(): Promise<number> {
    const after = await this.#rollcall.feedEnd();
    await Promise.all([this.#fleet.read([]), this.#daemon.look()]);
    this.#screen.open();
    this.#draw();
    const ticking = setInterval(() => this.#selection.sessions.length > 0 && this.#draw(), 1000);
    const observing = setInterval(() => this.#selection.sessions.length > 0 && this.#readSoon(), OBSERVED_MS);
    void this.#follow(after);
    try {
      return await this.#left.promise;
    } finally {
      this.#isLeaving = true;
      // An attached session restores the terminal first.
      await this.#away;
      for (const timer of [ticking, observing, this.#readTimer, this.#settleTimer]) clearTimeout(timer);
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
        this.#readSoon();
      }
    } catch (error) {
      this.#left.reject(error);
    }
  }

  #readSoon(): void {
    this.#readTimer ??= setTimeout(() => void this.#read(), TOGETHER_MS);
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
    if (this.#away) return;
    const now = this.#rollcall.context.now();
    const rows = this.#fleet.rows();
    this.#selection.show(rows);
    const settlesInMs = this.#selection.settlesInMs();
    if (settlesInMs > 0) this.#drawIn(settlesInMs);
    const view = {
      ...{ rows, now, note: this.#note },
      selected: this.#selection.id,
      isSettled: settlesInMs === 0,
      terminals: terminalsOf(rows.map(({ session }) => session)),
      isDaemonRunning: this.#daemon.isRunning,
      message: this.#dialog?.asks === "nothing" ? this.#dialog.refusal : this.#message,
      question: this.#dialog?.asks === "end" ? endQuestion(this.#dialog.session) : undefined,
      writing:
        this.#dialog?.asks === "text"
          ? { to: nameOf(this.#dialog.session), line: this.#dialog.line }
          : undefined,
    };
    try {
      const { size } = this.#screen;
      this.#screen.draw(this.#dialog?.asks === "help" ? helpOf(size) : frameOf(view, size));
    } catch (error) {
      this.#left.reject(error);
    }
  }

  #drawIn(ms: number): void {
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(() => this.#draw(), Math.ceil(ms));
  }

  #press(key: Key): void {
    if (this.#away) return;
    this.#message = undefined;
    const dialog = this.#dialog;
    this.#dialog = undefined;
    if (!dialog) this.#act(key);
    else if (dialog.asks === "text") this.#write(dialog, key);
    else if (dialog.asks === "end") this.#answerEnding(dialog.session, key);
    else if (dialog.asks === "nothing" && !["escape", "enter", "leave"].includes(key as string))
      this.#dialog = dialog;
    this.#draw();
  }

  #answerEnding(session: SessionRecord, key: Key): void {
    if (typeof key === "object" && "text" in key && key.text === "y")
      this.#say(`Ending ${nameOf(session)} …`, this.#actions.end(session));
    else if (key === "leave") this.#left.resolve(0);
  }

  #write(dialog: Extract<Dialog, { asks: "text" }>, key: Key): void {
    const { session, line } = dialog;
    if (key === "escape" || key === "leave") return;
    if (key !== "enter") this.#dialog = { ...dialog, line: edit(line, key) };
    else if (textOf(line).trim() !== "") this.#say("Sending …", this.#actions.send(session, textOf(line)));
  }

  #act(pressed: Key): void {
    // A paste is text, not keys.
    if (typeof pressed === "object" && "pasted" in pressed) return;
    const key = typeof pressed === "object" ? (LETTERS[pressed.text] ?? pressed) : pressed;
    if (key === "leave") this.#left.resolve(0);
    else if (key === "enter") this.#attach(this.#selection.session);
    else if (typeof key === "object") "text" in key && this.#type(key.text);
    else if (key in STEPS) this.#selection.move(STEPS[key as keyof typeof STEPS]);
  }

  #type(letter: string): void {
    const { session } = this.#selection;
    if (letter === "?") this.#dialog = { asks: "help" };
    if (!session) return;
    if (letter === "n") this.#attachToNext();
    else if (letter === "s") this.#beginText(session);
    else if (/^[ade1-9]$/.test(letter)) this.#decide(session, letter);
  }

  /** Only what the person has had time to read. */
  #decide(session: SessionRecord, letter: string): void {
    if (this.#selection.settlesInMs(letter === "e" ? "session" : "request") > 0) this.#message = CHANGED;
    else if (letter === "a") this.#say("Approving …", this.#actions.decide(session, "approve"));
    else if (letter === "d") this.#say("Denying …", this.#actions.decide(session, "deny"));
    else if (letter === "e") this.#dialog = { asks: "end", session };
    else this.#say("Answering …", this.#actions.choose(session, Number(letter)));
  }

  #beginText(session: SessionRecord): void {
    const refusal = this.#actions.refusesText(session);
    if (refusal === undefined) this.#dialog = { asks: "text", session, line: EMPTY_LINE };
    else this.#dialog = { asks: "nothing", refusal: `${refusal} Esc goes back.` };
  }

  #say(meanwhile: string, deed: Promise<string>): void {
    this.#message = meanwhile;
    void deed.then((sentence) => {
      this.#message = sentence;
      this.#draw();
    });
  }

  #attachToNext(): void {
    const next = nextWaiting(this.#selection.sessions.filter(canAttach), this.#visits);
    this.#visits = next?.visits ?? this.#visits;
    if (next) this.#attach(next.session);
    else this.#message = "No session waits for you.";
  }

  #attach(session: SessionRecord | undefined): void {
    if (!session) return;
    this.#selection.select(session.id);
    this.#screen.close();
    this.#away = this.#goTo(session).then(() => {
      this.#away = undefined;
      if (this.#isLeaving) return;
      this.#screen.open();
      this.#draw();
    });
  }

  /** The terminal is the session's until it is left; then the roll is back. */
  async #goTo(session: SessionRecord): Promise<void> {
    try {
      await attachTo(this.#rollcall, this.#output, session.id);
    } catch (error) {
      this.#message = describeError(error).message;
    }
  }
}

function endQuestion(session: SessionRecord): string {
  return `End ${nameOf(session)} and all its processes? y/n`;
}
