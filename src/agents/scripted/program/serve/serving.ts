import type { Face, Listener } from "../face.ts";
import type { Answer, Item, Request, TurnResult } from "../line.ts";
import { now, VERSION } from "../line.ts";
import type { Options } from "../options.ts";
import type { Credentials } from "./access.ts";
import { EventLog } from "./event-log.ts";
import { type Pending, routeOf, type ServedAgent } from "./routes.ts";
import { AgentHttpServer } from "./server.ts";

/** The agent in a terminal, which can also be driven over HTTP: everything that it does is told as an event. */
export class Serving implements Face, ServedAgent {
  readonly #options: Options;
  readonly #terminal: Face;
  readonly #log = new EventLog();
  readonly #server: AgentHttpServer;
  #listener: Listener | undefined;
  pending: Pending | undefined;
  #isWorking = false;
  #lastTurn: TurnResult | null = null;

  constructor(options: Options, terminal: Face, credentials: Credentials) {
    this.#options = options;
    this.#terminal = terminal;
    this.#server = new AgentHttpServer(credentials, this.#log, routeOf(this));
  }

  /** Known by the time at which the server listens. */
  get listener(): Listener {
    return this.#listener as Listener;
  }

  async open(listener: Listener): Promise<void> {
    this.#listener = listener;
    await this.#terminal.open(listener);
    const { sessionId, model } = this.#options;
    this.#tell({ type: "init", session_id: sessionId, model, version: VERSION });
    this.#tell({ type: "state", state: "idle" });
    await this.#server.listen();
  }

  show(item: Item): void {
    this.#tell(item);
    this.#terminal.show(item);
  }

  showWord(word: string): void {
    this.#server.sendToAll("delta", { type: "delta", text: word });
    this.#terminal.showWord(word);
  }

  flood(text: string): Promise<void> {
    return this.#terminal.flood(text);
  }

  control(bytes: string): void {
    this.#terminal.control(bytes);
  }

  turnBegan(): void {
    this.#isWorking = true;
    this.#tell({ type: "state", state: "working" });
    this.#terminal.turnBegan();
  }

  turnEnded(turn: TurnResult, text: string): void {
    this.#isWorking = false;
    this.#lastTurn = turn;
    this.#tell({ type: "state", state: "idle" });
    this.#terminal.turnEnded(turn, text);
  }

  helper(id: string, isWorking: boolean): void {
    this.#tell({ type: "helper", id, state: isWorking ? "working" : "done" });
    this.#terminal.helper(id, isWorking);
  }

  /** The first answer counts, by the person at the terminal or by a call. */
  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    this.#tell({ type: "request", ...request });
    const called = Promise.withResolvers<Answer>();
    const isAnswered = new AbortController();
    this.pending = { request, decide: called.resolve };
    const typed = this.#terminal.ask(request, AbortSignal.any([signal, isAnswered.signal]));
    try {
      return await Promise.race([called.promise, typed]);
    } finally {
      this.pending = undefined;
      isAnswered.abort();
      // Its dialog is gone before the next one opens.
      await typed.catch(() => {});
      if (!signal.aborted) this.#tell({ type: "state", state: "working" });
    }
  }

  stopReading(): void {
    this.#server.stopAnswering();
    this.#terminal.stopReading();
  }

  dropEvents(): void {
    this.#server.dropStreams();
  }

  async close(): Promise<void> {
    await this.#terminal.close();
    await this.#server.close();
  }

  /** As with other agents, one that asks is busy: the request stands in `requests` alone. */
  status(): object {
    const { sessionId, model } = this.#options;
    const state = this.#isWorking ? "working" : "idle";
    return {
      ...{ session_id: sessionId, model, version: VERSION, state, last_turn: this.#lastTurn },
      ...this.#log.range,
    };
  }

  requests(): object {
    return { requests: this.pending ? [this.pending.request] : [], ...this.#log.range };
  }

  #tell(line: { readonly type: string } & Readonly<Record<string, unknown>>): void {
    this.#log.add(line.type, { ...line, time: now() });
  }
}
