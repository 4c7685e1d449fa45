import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Keystrokes } from "../agents/agent.ts";
import { RollcallError } from "../domain/errors.ts";
import type { InputKind } from "../domain/event.ts";
import type { Channel, SessionRow } from "../domain/session.ts";
import { hostOf } from "../host/host.ts";
import { faultPoint } from "./fault-point.ts";
import type { LiveSession, Sighted } from "./live-session.ts";

/** The name of the file in the folder of a launch that holds the text to begin with. */
export const PROMPT_FILE = "prompt";
/** And of the one with what opens the protocol of an agent that speaks one. */
export const OPENING_FILE = "opening";

/** An Enter that comes in one piece with a paste would be taken for part of it. */
const BETWEEN_PIECES_MS = 30;

interface Saying {
  readonly channel: Channel | null;
  /** In mid-turn: the agent takes it up later. */
  readonly isQueued: boolean;
}

interface Writing extends Saying {
  readonly by: InputKind;
  readonly text: string;
}

/** What is given to one agent: one sender at a time, recorded before it is written. */
export class Input {
  readonly #session: LiveSession;
  #queue: Promise<unknown> = Promise.resolve();
  #isGivingPrompt = false;
  #isClosed = false;

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

  /** A person's text, as this agent on this host takes it. */
  async say(by: InputKind, text: string, { channel, isQueued }: Saying): Promise<Sighted> {
    const { agent, launch } = this.#session.carrying;
    const own = agent.controls.say(this.#session.addressee, text);
    const host = hostOf(launch.host);
    const modes =
      host.hasScreen && text.includes("\n") ? await this.#session.screen.modes() : { bracketedPaste: false };
    const pieces = own ? piecesOf(own) : host.encodeText(text, modes);
    const given = await this.write(pieces, { by, text, channel, isQueued });
    if (agent.capabilities.outputIsTranscript && by !== "keys")
      await this.#session.findings.take({ entries: [{ role: "user", kind: "text", text, tool: null }] });
    return given;
  }

  async press(
    by: InputKind,
    keystrokes: Keystrokes,
    text: string,
    channel: Channel | null,
  ): Promise<Sighted> {
    return this.write(piecesOf(keystrokes), { by, text, channel, isQueued: false });
  }

  async write(pieces: readonly string[], { by, text, channel, isQueued }: Writing): Promise<Sighted> {
    if (!this.#session.follower.connection) throw unreachable(this.#session.id);
    const { generation } = this.#session.carrying;
    const queued = isQueued ? { isQueued } : {};
    const given = await this.#session.append(
      [{ kind: "input_given", by, generation, text, ...queued }],
      channel,
    );
    faultPoint("input.recorded");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await sleep(BETWEEN_PIECES_MS);
      const { connection } = this.#session.follower;
      if (!connection) throw unreachable(this.#session.id);
      connection.input(piece);
    }
    faultPoint("input.written");
    return given;
  }

  /** Once, whoever comes back: a protocol is not opened twice. */
  open(): void {
    const path = join(this.#session.folder, OPENING_FILE);
    if (!existsSync(path)) return;
    const opening = readFileSync(path, "utf8");
    rmSync(path, { force: true });
    this.#session.follower.connection?.input(opening);
  }

  close(): void {
    if (hostOf(this.#session.carrying.launch.host).canCloseInput)
      this.#session.follower.connection?.closeInput();
  }

  stop(): void {
    this.#isClosed = true;
  }

  /** After each change: gives the first text as soon as the agent takes it, and ends the input of one that is done. */
  follow(row: SessionRow): void {
    const { launch, agent, kind } = this.#session.carrying;
    if (!row.carried || this.#isClosed) return;
    const { isReadyAtExec, tellsTurns } = agent.capabilities;
    const isReady = row.waiting?.for === "prompt" || (isReadyAtExec && row.state === "running");
    if (!isReady) return;
    if (launch.hasPrompt && !row.carried.isPromptGiven) this.#givePrompt();
    else if (kind === "autonomous" && tellsTurns && row.carried.lastTurn !== null) this.close();
    else if (launch.closesInput && !tellsTurns) this.close();
  }

  /** Whoever looks at the session sees why it does nothing. */
  async #tellNotGiven(error: unknown): Promise<void> {
    const { findings, services, id } = this.#session;
    services.log.error({ session: id, err: error }, "the prompt was not given");
    await findings.notice("prompt", "Its first text could not be given to it; send it again.");
  }

  #givePrompt(): void {
    if (this.#isGivingPrompt) return;
    this.#isGivingPrompt = true;
    const path = join(this.#session.folder, PROMPT_FILE);
    void this.inTurn(async (row) => {
      if (row.carried?.isPromptGiven !== false) return;
      await this.#session.follower.reachable();
      await this.say("prompt", readFileSync(path, "utf8"), { channel: null, isQueued: false });
      rmSync(path, { force: true });
      if (this.#session.carrying.launch.closesInput && !this.#session.carrying.agent.capabilities.tellsTurns)
        this.close();
    })
      .catch(async (error: unknown) => this.#tellNotGiven(error))
      .finally(() => (this.#isGivingPrompt = false));
  }
}

function piecesOf({ bytes, more = [] }: Keystrokes): readonly string[] {
  return [bytes, ...more];
}

function unreachable(id: string): RollcallError {
  return new RollcallError("wrong_state", `Session ${id} cannot be reached; nothing was sent.`, {
    hint: `See \`rollcall explain ${id}\`.`,
  });
}
