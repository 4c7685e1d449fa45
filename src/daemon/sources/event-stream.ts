import { setTimeout as sleep } from "node:timers/promises";
import type { AgentServer } from "../../agents/launch.ts";
import type { Memory } from "../../agents/parsed.ts";
import type { EventsSource, ServerEvent } from "../../agents/sources.ts";
import type { Json } from "../../domain/json.ts";
import type { IntakePort, Logs, MemoryPort } from "../session/ports.ts";
import { askServer, authorizationOf, urlOf } from "./agent-server.ts";
import { EventParser } from "./event-parser.ts";
import type { Source } from "./source.ts";

/** The server of an agent comes up a moment after its process; a stream that was cut is taken up again soon. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2000;

export interface EventStreamOptions {
  readonly spec: EventsSource<Memory>;
  readonly server: AgentServer;
}

type Ports = IntakePort & MemoryPort & Logs & { readonly id: string };

/**
 * Follows the events of an agent's own server. At every connection it first asks for what happened while nobody listened,
 * and then reads on behind the last event that it knows. A wrong password is not tried again.
 */
export class EventStream implements Source {
  readonly #ports: Ports;
  readonly #options: EventStreamOptions;
  readonly #stop = new AbortController();
  #hasBegun = false;
  #retryMs = FIRST_RETRY_MS;

  constructor(ports: Ports, options: EventStreamOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  begin(): void {
    if (this.#hasBegun || this.#stop.signal.aborted) return;
    this.#hasBegun = true;
    void this.#run();
  }

  /** Events are read as they come. Waiting for them here could be waiting for the caller itself. */
  async catchUp(): Promise<void> {}

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Unauthorized) return this.#giveUp();
        this.#ports.log.info(
          { session: this.#ports.id, err: error },
          "the event stream of its server was cut",
        );
      }
      await sleep(this.#retryMs, undefined, { signal, ref: false }).catch(() => {});
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** Connects before it asks for what was missed: nothing falls between the two. */
  async #follow(): Promise<void> {
    const { spec, server } = this.#options;
    const lastId = spec.lastId?.(this.#ports.memory.all) ?? null;
    const response = await fetch(urlOf(server, spec.path), {
      headers: {
        ...authorizationOf(server),
        accept: "text/event-stream",
        ...(lastId === null ? {} : { "last-event-id": lastId }),
      },
      redirect: "error",
      signal: this.#stop.signal,
    });
    if (response.status === 401 || response.status === 403) throw new Unauthorized();
    if (!response.ok || !response.body) throw new Error(`The server answers ${response.status}.`);
    await this.#askForMissed();
    this.#retryMs = FIRST_RETRY_MS;
    const parser = new EventParser();
    for await (const bytes of response.body)
      for (const event of parser.push(bytes as Uint8Array)) await this.#take(event);
    throw new Error("The server closed the stream.");
  }

  async #askForMissed(): Promise<void> {
    const { spec, server } = this.#options;
    const { intake, memory } = this.#ports;
    for (const { path, parse } of spec.catchUp ?? []) {
      const response = await askServer(server, { method: "GET", path: path(memory.all) });
      if (!response.ok) throw new Error(`The server answers ${response.status}.`);
      const body = (await response.json()) as Json;
      await intake.parsed((known) => parse(body, known));
    }
  }

  async #take(event: ServerEvent): Promise<void> {
    const { spec } = this.#options;
    const place = event.id === null ? null : { key: `event-${event.id}` };
    await this.#ports.intake.parsed((memory) => spec.parse(event, memory), place);
  }

  #giveUp(): void {
    const { log, id, intake } = this.#ports;
    log.error({ session: id }, "the server of the agent refuses our password");
    const text = "The server of the agent refuses Rollcall's password: its state cannot be seen.";
    void intake.notice("server-password", text).catch(() => {});
  }
}

class Unauthorized extends Error {}
