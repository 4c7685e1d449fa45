import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentServer } from "../../agents/launch.ts";
import type { Memory } from "../../agents/parsed.ts";
import type { EventsSource, ServerEvent } from "../../agents/sources.ts";
import { parseJson } from "../../domain/json.ts";
import type { KeptMemory } from "../intake/kept-memory.ts";
import type { IntakePort, Logs } from "../session/ports.ts";
import { askServer, openStream } from "./agent-server.ts";
import { EventParser } from "./event-parser.ts";
import type { Source } from "./source.ts";

/** The server of an agent comes up a moment after its process; a stream that was cut is resumed soon. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;
const SILENT_MS = 5000;

export interface EventStreamOptions {
  readonly spec: EventsSource<Memory>;
  readonly server: AgentServer;
  /** The stream of a process that has left ends at once. One that another process holds open is left after this silence. */
  readonly silentMs?: number;
}

interface Ports extends Logs {
  readonly id: string;
  readonly intake: Pick<IntakePort["intake"], "parsed" | "notice">;
  readonly memory: Pick<KeptMemory, "all" | "merge" | "together">;
}

/**
 * Follows the events of an agent's own server. At every connection it first asks for what happened while nobody listened,
 * and then reads on behind the last event that it knows. A wrong password is not tried again.
 */
export class EventStream implements Source {
  readonly #ports: Ports;
  readonly #options: EventStreamOptions;
  readonly #stop = new AbortController();
  /** No connection is made any more; one that stands is read to its end. */
  readonly #last = new AbortController();
  #following: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isCutLogged = false;
  #taken = 0;

  constructor(ports: Ports, options: EventStreamOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  begin(): void {
    if (!this.#isOver) this.#following ??= this.#followAll();
  }

  /** Events are read as they come. Waiting for them here could be waiting for the caller itself. */
  async catchUp(): Promise<void> {}

  async readRest(): Promise<void> {
    const { silentMs = SILENT_MS } = this.#options;
    this.#last.abort();
    for (let before = -1; before !== this.#taken; ) {
      before = this.#taken;
      const isOver = this.#following?.then(() => true);
      if (await Promise.race([isOver, sleep(silentMs, false, { ref: false })])) return;
    }
  }

  refresh(): void {
    void this.#askForMissed().catch((error: unknown) => this.#logCut(error));
  }

  stop(): void {
    this.#last.abort();
    this.#stop.abort();
  }

  get #isOver(): boolean {
    return this.#last.signal.aborted;
  }

  async #followAll(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof Unauthorized) return this.#giveUp();
        if (!this.#isOver) this.#logCut(error);
      }
      await sleep(this.#retryMs, undefined, { signal: this.#last.signal, ref: false }).catch(() => {});
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** Connects before it asks for what was missed: nothing falls between the two. */
  async #follow(): Promise<void> {
    const stream = await this.#connect();
    try {
      await this.#askForMissed();
      this.#retryMs = FIRST_RETRY_MS;
      this.#isCutLogged = false;
      const parser = new EventParser();
      for await (const bytes of stream as AsyncIterable<Buffer>)
        await this.#ports.memory.together(async () => {
          for (const event of parser.push(bytes)) await this.#take(event);
        });
    } finally {
      stream.destroy();
    }
    throw new Error("The server closed the stream.");
  }

  async #connect(): Promise<IncomingMessage> {
    const { spec, server } = this.#options;
    const lastId = spec.resume?.lastId(this.#ports.memory.all) ?? null;
    const headers = {
      accept: "text/event-stream",
      ...(lastId === null ? {} : { "last-event-id": lastId }),
    };
    const stream = await openStream(server, { method: "GET", path: spec.path, headers }, this.#stop.signal);
    if (stream.statusCode === 200) return stream;
    stream.destroy();
    throw refusal(stream.statusCode ?? 0);
  }

  async #askForMissed(): Promise<void> {
    const { spec, server } = this.#options;
    const { intake, memory } = this.#ports;
    for (const { path, parse } of spec.catchUp ?? []) {
      const { status, text } = await askServer(server, { method: "GET", path: path(memory.all) });
      if (status !== 200) throw refusal(status);
      const body = parseJson(text);
      await intake.parsed((known) => parse(body, known));
    }
  }

  /** Remembered once it is in the record: a daemon that is killed before reads it again, and adds it once. */
  async #take(event: ServerEvent): Promise<void> {
    this.#stop.signal.throwIfAborted();
    const { spec } = this.#options;
    const place = event.id === null ? null : { key: `event-${event.id}` };
    await this.#ports.intake.parsed((memory) => spec.parse(event, memory), place);
    this.#taken += 1;
    if (event.id !== null && spec.resume) this.#ports.memory.merge(spec.resume.remember(event.id));
  }

  /** Once for each time that it is away, however often it is looked for. */
  #logCut(error: unknown): void {
    if (this.#isCutLogged) return;
    this.#isCutLogged = true;
    this.#ports.log.info(
      { session: this.#ports.id, err: error },
      "no event stream from the agent's server; retrying",
    );
  }

  #giveUp(): void {
    const { log, id, intake } = this.#ports;
    log.error({ session: id }, "the server of the agent refuses our password");
    const text = "The server of the agent refuses Rollcall's password: its state cannot be seen.";
    void intake.notice("server-password", text).catch(() => {});
  }
}

class Unauthorized extends Error {}

function refusal(status: number): Error {
  return status === 401 || status === 403 ? new Unauthorized() : new Error(`The server answers ${status}.`);
}
