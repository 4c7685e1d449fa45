import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Keystroke, Keystrokes } from "../../agents/agent.ts";
import { keystrokesIn } from "../../agents/keystrokes.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { InputKind } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import { isUntaken } from "../../domain/session/turn.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { hostOf } from "../../host/host.ts";
import { faultPoint } from "../fault-point.ts";
import type { Committed } from "./committed.ts";
import type { LiveSession } from "./live-session.ts";

/** An Enter that comes in one piece with a paste would be taken for part of it. */
const BETWEEN_PIECES_MS = 30;
const NEXT_LOOK_MS = 50;
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

/** What is given to one agent: one sender at a time, recorded before it is written. */
export class Input {
  readonly #session: LiveSession;
  #queue: Promise<unknown> = Promise.resolve();
  #isGivingPrompt = false;
  #takenTimer: NodeJS.Timeout | undefined;
  /** The turn whose text is not taken yet. */
  #awaited: number | undefined;

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** Runs one sender after the other, each with the row as it is when its turn comes. */
  async inTurn<T>(work: (row: SessionRow) => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      const row = await this.#session.row();
      if (!row) throw new RollcallError("session_not_found", `There is no session ${this.#session.id}.`);
      return work(row);
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  /** A person's text, as this agent on this host takes it. Recorded, with the turn that it begins, before it is written. */
  async say(by: "prompt" | "send", text: string, saying: Saying): Promise<Said> {
    const { agent, launch } = this.#session.carrying;
    const own = agent.controls.say(this.#session.target, text);
    const host = hostOf(launch.host);
    const modes =
      host.hasScreen && text.includes("\n") ? await this.#session.screen.modes() : { bracketedPaste: false };
    const pieces = own ? keystrokesIn(own) : host.encodeText(text, modes).map((bytes) => ({ bytes }));
    if (!this.#session.follower.connection) throw unreachable(this.#session.id);
    const given = await this.#session.observe(
      { saw: "text_given", by, text, isCommand: isOwnCommand(text) },
      saying,
    );
    const event = given.events.find(({ body }) => body.kind === "input_given");
    if (event?.body.kind !== "input_given") throw notTaking(given.row);
    const { turn = null, isQueued = false } = event.body;
    this.#session.transcriptFinder.begin();
    await this.#write(pieces);
    if (agent.capabilities.outputIsTranscript)
      await this.#session.intake.take({ entries: [{ role: "user", kind: "text", text, tool: null }] });
    await this.#session.observe({ saw: "text_written" });
    return { seq: event.seq, turn, isQueued };
  }

  async press(
    by: InputKind,
    keystrokes: Keystrokes,
    text: string,
    channel: Channel | null,
  ): Promise<Committed> {
    if (!this.#session.follower.connection) throw unreachable(this.#session.id);
    const { generation } = this.#session.carrying;
    const given = await this.#session.append([{ kind: "input_given", by, generation, text }], channel);
    await this.#write(keystrokesIn(keystrokes));
    return given;
  }

  /** Whoever asks for the first keystroke has seen what it needs. */
  async #write([first, ...others]: readonly Keystroke[]): Promise<void> {
    faultPoint("input.recorded");
    if (first) this.#type(first.bytes);
    for (const { bytes, onScreen } of others) {
      if (onScreen !== undefined) await this.#untilShown(onScreen);
      await sleep(BETWEEN_PIECES_MS);
      this.#type(bytes);
    }
    faultPoint("input.written");
  }

  #type(bytes: string): void {
    const { connection } = this.#session.follower;
    if (!connection) throw unreachable(this.#session.id);
    connection.input(bytes);
  }

  /** A key that a dialog dropped must not be followed by the next one, which would then mean something else. */
  async #untilShown(onScreen: string): Promise<void> {
    const pattern = new RegExp(onScreen, "mu");
    const lastMs = performance.now() + TAKEN_MS;
    while (!pattern.test((await this.#session.screen.now())?.text() ?? "")) {
      if (performance.now() > lastMs) throw halfGiven(this.#session.id);
      await sleep(NEXT_LOOK_MS);
    }
  }

  /** Once, whoever comes back: a protocol is not opened twice. */
  open(): void {
    const path = join(this.#session.folder, LAUNCH_FILES.opening);
    if (!existsSync(path)) return;
    const opening = readFileSync(path, "utf8");
    rmSync(path, { force: true });
    this.#session.follower.connection?.input(opening);
  }

  close(): void {
    if (hostOf(this.#session.carrying.launch.host).canCloseInput)
      this.#session.follower.connection?.closeInput();
  }

  /** After each change: a text that nobody takes is given up after a while. */
  follow({ turn, state }: SessionRow): void {
    const number = isUntaken(turn) && state === "running" ? turn.number : undefined;
    if (number === this.#awaited) return;
    clearTimeout(this.#takenTimer);
    this.#awaited = number;
    if (number === undefined) return;
    const passedMs = this.#session.services.context.now() - Date.parse(turn?.givenAt ?? "");
    const leftMs = Math.min(TAKEN_MS, Math.max(0, TAKEN_MS - passedMs));
    this.#takenTimer = setTimeout(() => void this.#giveUp(number), leftMs);
  }

  stop(): void {
    clearTimeout(this.#takenTimer);
  }

  async #giveUp(turn: number): Promise<void> {
    const { services, id } = this.#session;
    this.#awaited = undefined;
    try {
      await this.#session.observe({ saw: "text_not_taken", turn, afterMs: TAKEN_MS });
    } catch (error) {
      services.log.error({ session: id, err: error }, "could not record that a text was not taken");
    }
  }

  /** Whoever looks at the session sees why it does nothing. */
  async #tellNotGiven(error: unknown): Promise<void> {
    const { intake, services, id } = this.#session;
    services.log.error({ session: id, err: error }, "the prompt was not given");
    await intake.notice("prompt", "Its first text could not be given to it; send it again.");
  }

  /** Once: a second call while it is on its way, or after it, does nothing. */
  giveFirstText(): void {
    if (this.#isGivingPrompt) return;
    this.#isGivingPrompt = true;
    const path = join(this.#session.folder, LAUNCH_FILES.prompt);
    void this.inTurn(async (row) => {
      if (row.carried?.isPromptGiven !== false) return;
      await this.#session.follower.reachable();
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

function halfGiven(id: string): RollcallError {
  return new RollcallError(
    "not_delivered",
    `Session ${id} does not show what was chosen so far; nothing more was sent, and nothing was submitted.`,
    { hint: `Look at it with \`rollcall attach ${id}\`.` },
  );
}

function unreachable(id: string): RollcallError {
  return new RollcallError("wrong_state", `Session ${id} cannot be reached; nothing was sent.`, {
    hint: `See \`rollcall explain ${id}\`.`,
  });
}
