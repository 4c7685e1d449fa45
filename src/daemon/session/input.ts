import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Deed } from "../../agents/deed.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { InputKind } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import { isUntaken } from "../../domain/session/turn.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { hostOf } from "../../host/host.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { unreachable } from "../delivery/unreachable.ts";
import { faultPoint } from "../fault-point.ts";
import type { Committed } from "./committed.ts";
import type {
  Aim,
  DeliveryPort,
  Facts,
  FinderPort,
  HolderPort,
  IntakePort,
  Logs,
  Loop,
  ScreenPort,
  WallClock,
} from "./ports.ts";

/** How long an agent may take to show that it took something. */
export const TAKEN_MS = 10_000;

/** A text as it was recorded. */
export interface Said {
  readonly seq: number;
  /** The turn that it begins, or in which it was queued; null where turns are not seen. */
  readonly turn: number | null;
  readonly isQueued: boolean;
}

interface Saying {
  readonly channel: Channel | null;
  /** The id of its event, where a second call with the same key must not give it again. */
  readonly inputId?: string;
}

interface Ports
  extends Facts,
    Logs,
    WallClock,
    Aim,
    Loop,
    HolderPort,
    ScreenPort,
    FinderPort,
    IntakePort,
    DeliveryPort {}

/** The input of one agent: one sender at a time, recorded before it is written. */
export class Input {
  readonly #session: Ports;
  readonly #queue = new SerialQueue();
  #isGivingPrompt = false;
  #isWriting = false;
  #takenTimer: NodeJS.Timeout | undefined;
  /** The turn whose text is not taken yet. */
  #awaited: number | undefined;
  /** Texts that the agent keeps for a turn to come. */
  #queued = 0;
  readonly #stopped = new AbortController();

  constructor(session: Ports) {
    this.#session = session;
  }

  /** Runs one sender after the other, each with the row as it is when its turn comes. */
  async inTurn<T>(work: (row: SessionRow) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const row = await this.#session.row();
      if (!row) throw new RollcallError("session_not_found", `There is no session ${this.#session.id}.`);
      return work(row);
    });
  }

  /** A person's text, as this agent on this host takes it. Recorded, with the turn that it begins, before it is written. */
  async say(by: "prompt" | "send", text: string, saying: Saying): Promise<Said> {
    const { mode } = this.#session.carrying;
    const deed = mode.controls.say(this.#session.target, text) ?? (await this.#typed(text));
    if (!this.#session.holder.connection) throw unreachable(this.#session.id);
    const given = await this.#session.observe(
      { saw: "text_given", by, text, isCommand: isOwnCommand(text), ...this.#behindQueued(text) },
      saying,
    );
    const event = given.events.find(({ body }) => body.kind === "input_given");
    if (event?.body.kind !== "input_given") throw notTaking(given.row);
    const { turn = null, isQueued = false } = event.body;
    this.#session.transcriptFinder.begin();
    await this.#deliver(deed);
    // The time to take it begins when it is written: a server on a busy machine needs seconds to accept one.
    if (turn !== null && turn === this.#awaited && !this.#stopped.signal.aborted)
      this.#giveUpLater(turn, TAKEN_MS);
    if (mode.capabilities.outputIsTranscript)
      await this.#session.intake.take({ entries: [{ role: "user", kind: "text", text, tool: null }] });
    await this.#session.observe({ saw: "text_written" });
    return { seq: event.seq, turn, isQueued };
  }

  /** Whether it would wait behind texts that the agent keeps, also where the agent rests for a moment. */
  isBehindQueued(text: string): boolean {
    return this.#queued > 0 && !isOwnCommand(text);
  }

  #behindQueued(text: string): { readonly isBehindQueued?: true } {
    return this.isBehindQueued(text) ? { isBehindQueued: true } : {};
  }

  /** Until this is settled, whichever way, the agent keeps a text for a turn to come. */
  keep(untilTaken: (signal: AbortSignal) => Promise<unknown>): void {
    this.#queued += 1;
    void untilTaken(this.#stopped.signal)
      .catch(() => {})
      .finally(() => (this.#queued -= 1));
  }

  /** Does something to the agent that a person asked for. Whoever asks has seen that the deed may be done. */
  async give(by: InputKind, deed: Deed, text: string, channel: Channel | null): Promise<Committed> {
    if (!this.#session.holder.connection) throw unreachable(this.#session.id);
    const { generation } = this.#session.carrying;
    const given = await this.#session.append([{ kind: "input_given", by, generation, text }], channel);
    await this.#deliver(deed);
    return given;
  }

  async #deliver(deed: Deed): Promise<void> {
    faultPoint("input.recorded");
    this.#isWriting = true;
    try {
      await this.#session.delivery.deliver(deed);
    } finally {
      this.#isWriting = false;
    }
    faultPoint("input.written");
  }

  /** A text as the host types it. */
  async #typed(text: string): Promise<Deed> {
    const host = hostOf(this.#session.carrying.launch.host);
    const screen = host.hasScreen && text.includes("\n") ? await this.#session.screen.now() : undefined;
    const bracketedPaste = screen?.bracketedPaste ?? false;
    const [bytes = "", ...more] = host.encodeText(text, { bracketedPaste });
    return { via: "keys", bytes, more };
  }

  /** Once, whoever comes back: a protocol is not opened twice. */
  open(): void {
    const path = join(this.#session.folder, LAUNCH_FILES.opening);
    if (!existsSync(path)) return;
    const opening = readFileSync(path, "utf8");
    rmSync(path, { force: true });
    this.#session.holder.connection?.input(opening);
  }

  close(): void {
    if (hostOf(this.#session.carrying.launch.host).canCloseInput)
      this.#session.holder.connection?.closeInput();
  }

  /** After each change: a text that nobody takes is given up after a while. */
  follow({ turn, state }: SessionRow): void {
    const number = isUntaken(turn) && state === "running" ? turn.number : undefined;
    if (number === this.#awaited) return;
    clearTimeout(this.#takenTimer);
    this.#awaited = number;
    if (number === undefined) return;
    const passedMs = this.#session.now() - Date.parse(turn?.givenAt ?? "");
    const leftMs = Math.min(TAKEN_MS, Math.max(0, TAKEN_MS - passedMs));
    this.#giveUpLater(number, leftMs);
  }

  #giveUpLater(turn: number, ms: number): void {
    clearTimeout(this.#takenTimer);
    this.#takenTimer = setTimeout(() => void this.#giveUp(turn), ms);
  }

  stop(): void {
    clearTimeout(this.#takenTimer);
    this.#stopped.abort();
  }

  async #giveUp(turn: number): Promise<void> {
    const { log, id } = this.#session;
    // Keys that wait for what a slow program shows may not all be pressed yet.
    if (this.#isWriting) {
      this.#giveUpLater(turn, TAKEN_MS);
      return;
    }
    this.#awaited = undefined;
    try {
      await this.#session.observe({ saw: "text_not_taken", turn, afterMs: TAKEN_MS });
    } catch (error) {
      log.error({ session: id, err: error }, "could not record that a text was not taken");
    }
  }

  /** A person who looks at the session sees why it does nothing. */
  async #tellNotGiven(error: unknown): Promise<void> {
    const { intake, log, id } = this.#session;
    log.error({ session: id, err: error }, "could not give the prompt");
    await intake.notice("prompt", "Its first text could not be given to it; send it again.");
  }

  /** Once: a second call while it is on its way, or after it, does nothing. */
  giveFirstText(): void {
    if (this.#isGivingPrompt) return;
    this.#isGivingPrompt = true;
    const path = join(this.#session.folder, LAUNCH_FILES.prompt);
    void this.inTurn(async (row) => {
      if (row.carried?.isPromptGiven !== false) return;
      await this.#session.holder.reachable();
      await this.say("prompt", readFileSync(path, "utf8"), { channel: null });
      rmSync(path, { force: true });
    })
      .catch(async (error: unknown) => this.#tellNotGiven(error))
      .finally(() => (this.#isGivingPrompt = false));
  }
}

/** Agents take such a line for an order to themselves: nothing of it comes into the conversation. */
export function isOwnCommand(text: string): boolean {
  return /^\/\w[^\n]*$/.test(text);
}

function notTaking(row: SessionRow): RollcallError {
  return new RollcallError("wrong_state", `Session ${row.id} is ${row.state} by now; nothing was sent.`, {
    hint: `See \`rollcall get ${row.id}\`.`,
  });
}
