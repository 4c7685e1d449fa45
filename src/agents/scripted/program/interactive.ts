import { setTimeout as sleep } from "node:timers/promises";
import { Box, type Dialog, dialogOf, login, trust } from "./dialogs.ts";
import type { Face, Listener } from "./face.ts";
import { Keyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import type { Answer, Item, Request, TurnResult } from "./line.ts";
import type { Options } from "./options.ts";
import { linesOf } from "./show.ts";
import { type Fields, Status } from "./status.ts";
import { Terminal, tail } from "./terminal.ts";
import { untilAborted } from "./turn.ts";

/** The real agents hold a dialog back after a key, so that it is not answered by typing: an early key stays in the box. */
const HOLD_MS = 400;
const SECOND_PRESS_MS = 2000;

/** The agent in a terminal. */
export class Interactive implements Face {
  readonly #options: Options;
  readonly #greeting: string;
  readonly #terminal: Terminal;
  readonly #status: Status;
  readonly #keyboard: Keyboard;
  readonly #box = new Box();
  #listener: Listener | undefined;
  #dialog: Dialog<unknown> | undefined;
  #decide: (answer: unknown) => void = () => {};
  #isWorking = false;
  #lastKeyAt = 0;
  #firstPressAt = 0;

  constructor(options: Options, greeting: string) {
    this.#options = options;
    this.#greeting = greeting;
    this.#terminal = new Terminal(process.stdout, (columns) => this.#bottom(columns));
    this.#status = new Status((bytes) => this.#terminal.write(bytes));
    this.#keyboard = new Keyboard((keys) => this.#read(keys));
  }

  async open(listener: Listener): Promise<void> {
    this.#listener = listener;
    if (this.#options.slowStartMs > 0) await sleep(this.#options.slowStartMs);
    this.#terminal.write("\x1b[?2004h");
    this.#status.ask();
    this.#keyboard.listen(() => listener.leave(129, "hangup"));
    if (this.#options.asksLogin) await this.#open(login());
    if (this.#options.asksTrust && !(await this.#open(trust(process.cwd())))) {
      listener.leave(1, "not_trusted");
      return new Promise(() => {});
    }
    this.#terminal.print(this.#greeting);
    this.#status.report("idle");
    await this.#status.settled();
  }

  show(item: Item): void {
    const lines = linesOf(item);
    // Its words are on the screen already.
    if (item.type === "assistant" && this.#terminal.isInLine) this.#terminal.endLine();
    else if (lines !== "") this.#terminal.print(lines);
  }

  showWord(word: string): void {
    this.#terminal.add(word);
  }

  flood(text: string): Promise<void> {
    return this.#terminal.pour(text);
  }

  control(bytes: string): void {
    this.#terminal.write(bytes);
  }

  turnBegan(): void {
    this.#isWorking = true;
    this.#status.report("working");
  }

  turnEnded(turn: TurnResult, text: string): void {
    this.#isWorking = false;
    this.#terminal.endLine();
    this.#terminal.draw();
    if (turn === "good") this.#status.report("done");
    else if (turn === "failed") this.#status.report("error", { msg: { text } });
    else this.#status.report("idle", { turn });
  }

  helper(id: string, isWorking: boolean): void {
    this.#status.report(isWorking ? "working" : "clear", { id, title: { text: id } });
  }

  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    this.#status.report("blocked", fieldsOf(request));
    await this.#untilQuiet(signal);
    const answer = await this.#open(dialogOf(request), signal);
    this.#status.report("working");
    return answer;
  }

  stopReading(): void {
    this.#keyboard.stop();
  }

  close(): void {
    this.#status.report("clear");
    this.#terminal.write("\r\x1b[2K\x1b[?2004l");
    this.#keyboard.close();
  }

  #bottom(columns: number): string {
    if (this.#dialog) return this.#dialog.last(columns);
    const label = this.#isWorking ? "working> " : "> ";
    return label + tail(this.#box.text, columns - label.length);
  }

  /** Stands until it is decided, or until the turn is interrupted. */
  async #open<T>(dialog: Dialog<T>, signal?: AbortSignal): Promise<T> {
    if (dialog.text !== null) this.#terminal.print(dialog.text);
    const decided = new Promise<T>((resolve) => {
      this.#decide = (answer) => resolve(answer as T);
    });
    this.#dialog = dialog;
    this.#terminal.draw();
    try {
      return await (signal ? Promise.race([decided, untilAborted(signal)]) : decided);
    } finally {
      this.#dialog = undefined;
      this.#terminal.draw();
    }
  }

  async #untilQuiet(signal: AbortSignal): Promise<void> {
    for (let left = this.#heldMs(); left > 0; left = this.#heldMs()) await sleep(left, undefined, { signal });
  }

  #heldMs(): number {
    return this.#lastKeyAt + HOLD_MS - Date.now();
  }

  #read(keys: readonly Key[]): void {
    for (const key of keys) {
      if (key.key === "status_heard") this.#status.heard();
      else this.#press(key);
    }
    this.#terminal.draw();
  }

  #press(key: Key): void {
    this.#lastKeyAt = Date.now();
    if (key.key === "escape") this.#listener?.interrupt();
    else if (key.key === "interrupt") this.#pressInterrupt();
    else if (key.key === "end") this.#pressEnd();
    else if (this.#dialog) this.#answer(this.#dialog, key);
    else if (key.key === "enter") this.#submit();
    else this.#box.edit(key);
  }

  #answer(dialog: Dialog<unknown>, key: Key): void {
    const answer = dialog.take(key);
    if (answer === undefined) return;
    // Keys typed behind the answer are not for this dialog.
    this.#dialog = undefined;
    this.#decide(answer);
  }

  #submit(): void {
    const text = this.#box.take();
    if (text.trim() !== "") this.#listener?.prompt(text);
  }

  #pressInterrupt(): void {
    if (this.#listener?.interrupt() || this.#box.take() !== "") return;
    const isSecond = Date.now() - this.#firstPressAt < SECOND_PRESS_MS;
    this.#firstPressAt = Date.now();
    if (isSecond) this.#listener?.leave(0, "asked");
    else this.#terminal.print("Press Ctrl-C again to leave.");
  }

  #pressEnd(): void {
    if (this.#dialog || this.#box.text === "") this.#listener?.leave(0, "asked");
  }
}

function fieldsOf(request: Request): Fields {
  const { kind, request_id: req } = request;
  if (request.kind === "question") {
    const options = request.options === null ? {} : { options: { text: JSON.stringify(request.options) } };
    return { kind, req, msg: { text: request.question }, ...options };
  }
  const input = JSON.stringify(request.input);
  return {
    kind,
    req,
    msg: { text: `approve ${request.tool}` },
    tool: { text: request.tool },
    input: { text: input },
  };
}
