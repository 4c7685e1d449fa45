import { type Directive, directivesOf } from "./directives.ts";
import type { Face } from "./face.ts";
import type { Hooks } from "./hooks.ts";
import { type Item, type ModelRequest, now, type TurnResult } from "./line.ts";
import type { Options } from "./options.ts";
import type { Transcript } from "./transcript.ts";
import { Turn, TurnFailed, type Used, untilAborted } from "./turn.ts";

/** The usage of a turn that has no `usage` directive. */
const USUAL: Used = { input: 100, output: 20, cache_read: 0, cache_write: 0, reasoning: 0, cost_usd: 0.001 };

interface Parts {
  readonly options: Options;
  readonly face: Face;
  readonly transcript: Transcript;
  readonly hooks: Hooks;
  /** Called after each turn, with the code that it asked to leave with. */
  readonly afterTurn: (leaveWith: number | null) => void;
}

/** Runs turns strictly one after another; what is said meanwhile waits. */
export class Conversation {
  readonly #parts: Parts;
  readonly #waiting: string[] = [];
  #running: AbortController | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#running !== undefined || this.#waiting.length > 0;
  }

  submit(prompt: string): void {
    this.#waiting.push(prompt);
    if (this.#running === undefined) void this.#runAll();
    else this.#tellQueued({ type: "queued", text: prompt });
  }

  #tellQueued(item: Item): void {
    this.#parts.transcript.write(item);
    this.#parts.face.show(item);
  }

  interrupt(): boolean {
    this.#running?.abort();
    return this.#running !== undefined;
  }

  async #runAll(): Promise<void> {
    for (let prompt = this.#waiting.shift(); prompt !== undefined; prompt = this.#waiting.shift()) {
      this.#running = new AbortController();
      const leaveWith = await this.#turn(prompt, this.#running.signal);
      this.#running = undefined;
      this.#parts.afterTurn(leaveWith);
      if (leaveWith !== null) return;
    }
  }

  async #turn(prompt: string, signal: AbortSignal): Promise<number | null> {
    const { face, transcript, hooks } = this.#parts;
    const number = transcript.beginTurn();
    const count = (used: Used, index: number) => this.#request(used, number, index);
    const turn = new Turn({ signal, face, transcript, hooks, count });
    face.turnBegan();
    turn.tell({ type: "user", text: prompt });
    hooks.call("turn_start", { prompt });
    const [result, text] = await perform(turn, directivesOf(prompt));
    const usage = turn.requests.length === 0 ? [count(USUAL, 0)] : turn.requests;
    turn.tell({ type: "result", turn: result, text, usage });
    hooks.call("turn_end", { turn: result, text });
    face.turnEnded(result, text);
    return turn.leaveWith;
  }

  #request(used: Used, turn: number, index: number): ModelRequest {
    const { sessionId, model } = this.#parts.options;
    return { request_key: `${sessionId}/${turn}/${index + 1}`, time: now(), model, ...used };
  }
}

async function perform(turn: Turn, directives: readonly Directive[]): Promise<[TurnResult, string]> {
  const interrupted = untilAborted(turn.signal);
  // Told to who races against it; without one it would end the process.
  interrupted.catch(() => {});
  try {
    for (const directive of directives) {
      await Promise.race([directive(turn), interrupted]);
      if (turn.leaveWith !== null) break;
    }
    await Promise.race([Promise.all(turn.background), interrupted]);
    return ["good", turn.lastWords];
  } catch (error) {
    if (turn.signal.aborted) return ["aborted", "Interrupted."];
    return ["failed", error instanceof TurnFailed ? error.message : `Not understood: ${String(error)}`];
  }
}
