import type { Face } from "./face.ts";
import type { Hooks } from "./hooks.ts";
import type { Answer, Item, ModelRequest, Request } from "./line.ts";
import type { Transcript } from "./transcript.ts";

export type Used = Omit<ModelRequest, "request_key" | "time" | "model">;

/** The end of a turn by an error of the model. */
export class TurnFailed extends Error {}

type Asked = Request extends infer R ? (R extends Request ? Omit<R, "request_id"> : never) : never;

interface TurnParts {
  readonly signal: AbortSignal;
  readonly face: Face;
  readonly transcript: Transcript;
  readonly hooks: Hooks;
  /** Gives the next request of the turn its key, time and model. */
  readonly count: (used: Used, index: number) => ModelRequest;
}

/** A turn in progress: what a directive may do. */
export class Turn {
  readonly signal: AbortSignal;
  readonly face: Face;
  readonly transcript: Transcript;
  readonly #hooks: Hooks;
  readonly #count: (used: Used, index: number) => ModelRequest;
  /** The requests to the model so far. */
  readonly requests: ModelRequest[] = [];
  /** The turn ends when all of these have. */
  readonly background: Promise<unknown>[] = [];
  leaveWith: number | null = null;
  lastWords = "";

  constructor({ signal, face, transcript, hooks, count }: TurnParts) {
    this.signal = signal;
    this.face = face;
    this.transcript = transcript;
    this.#hooks = hooks;
    this.#count = count;
  }

  /** Tells of a request at once, as agents do. */
  use(used: Used): void {
    const request = this.#count(used, this.requests.length);
    this.requests.push(request);
    this.tell({ type: "usage", usage: [request] });
  }

  /** After an interrupt nothing is told but the end. */
  tell(item: Item): void {
    if (this.signal.aborted && item.type !== "result") return;
    if (item.type === "assistant") this.lastWords = item.text;
    this.transcript.write(item);
    this.face.show(item);
  }

  say(text: string): void {
    this.tell({ type: "assistant", text });
  }

  ask(asked: Asked): Promise<Answer> {
    const request: Request = { request_id: crypto.randomUUID(), ...asked };
    this.#hooks.call("request", request);
    return this.face.ask(request, this.signal);
  }
}

/** Never resolves; rejects when the turn is interrupted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
