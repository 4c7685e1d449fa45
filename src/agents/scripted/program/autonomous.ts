import { setTimeout as sleep } from "node:timers/promises";
import type { Face, Listener } from "./face.ts";
import type { Answer, Item, Request } from "./line.ts";
import { now, VERSION } from "./line.ts";
import type { Options } from "./options.ts";
import { untilAborted } from "./turn.ts";

interface Pending {
  readonly request: Request;
  decide(answer: Answer): void;
}

/** The agent as JSON lines on standard input and output. */
export class Autonomous implements Face {
  readonly #options: Options;
  readonly #turns: number;
  #pending: Pending | undefined;
  #isInputEnded = false;

  constructor(options: Options, turns: number) {
    this.#options = options;
    this.#turns = turns;
  }

  async open(listener: Listener): Promise<void> {
    const { sessionId, model, slowStartMs } = this.#options;
    if (slowStartMs > 0) await sleep(slowStartMs);
    this.#line({ type: "init", session_id: sessionId, model, version: VERSION, turns: this.#turns });
    this.#line({ type: "state", state: "idle" });
    this.#listen(listener);
  }

  show(item: Item): void {
    this.#line(item);
  }

  showWord(text: string): void {
    this.#line({ type: "delta", text });
  }

  async flood(text: string): Promise<void> {
    const line = `${JSON.stringify({ type: "noise", text })}\n`;
    await new Promise<void>((resolve) => process.stdout.write(line, () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }

  control(): void {}

  turnBegan(): void {
    this.#line({ type: "state", state: "working" });
  }

  turnEnded(): void {
    this.#line({ type: "state", state: "idle" });
  }

  helper(id: string, isWorking: boolean): void {
    this.#line({ type: "helper", id, state: isWorking ? "working" : "done" });
  }

  async ask(request: Request, signal: AbortSignal): Promise<Answer> {
    this.#line({ type: "request", ...request });
    if (this.#isInputEnded) return NOBODY;
    const decided = new Promise<Answer>((decide) => {
      this.#pending = { request, decide };
    });
    try {
      return await Promise.race([decided, untilAborted(signal)]);
    } finally {
      this.#pending = undefined;
      if (!signal.aborted) this.#line({ type: "state", state: "working" });
    }
  }

  stopReading(): void {
    process.stdin.pause();
  }

  close(): void {}

  #listen(listener: Listener): void {
    let rest = "";
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (line.trim() !== "") this.#hear(line, listener);
    });
    process.stdin.on("end", () => {
      this.#isInputEnded = true;
      this.#pending?.decide(NOBODY);
      listener.inputEnded();
    });
  }

  #hear(line: string, listener: Listener): void {
    const said = parse(line);
    if (said?.type === "user" && typeof said.text === "string") listener.prompt(said.text);
    else if (said?.type === "interrupt") listener.interrupt();
    else if (said?.type === "stop") listener.leave(0, "asked");
    else if (said?.type === "answer") this.#answer(said);
    else this.#refuse(`Not understood: ${line}`);
  }

  #answer(said: Said): void {
    const isMeant = this.#pending?.request.request_id === said.request_id;
    const answer = isMeant && this.#pending ? answerOf(this.#pending.request, said) : undefined;
    if (answer !== undefined) this.#pending?.decide(answer);
    else this.#refuse(isMeant ? "This is no answer to it." : `There is no request ${said.request_id}.`);
  }

  #refuse(text: string): void {
    this.#line({ type: "refused", text });
  }

  #line(value: object): void {
    process.stdout.write(`${JSON.stringify({ ...value, time: now() })}\n`);
  }
}

const NOBODY: Answer = { decision: "deny", reason: "nobody is there to ask" };

interface Said {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly request_id?: unknown;
  readonly decision?: unknown;
  readonly always?: unknown;
  readonly reason?: unknown;
  readonly choice?: unknown;
}

function parse(line: string): Said | undefined {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return undefined;
  }
}

function answerOf(request: Request, said: Said): Answer | undefined {
  if (request.kind === "question") {
    const isOffered = request.options?.includes(said.choice as string) ?? typeof said.choice === "string";
    return isOffered ? { choice: said.choice as string } : undefined;
  }
  if (said.decision === "approve")
    return { decision: "approve", ...(said.always === true ? { always: true } : {}) };
  if (said.decision !== "deny") return undefined;
  return { decision: "deny", reason: typeof said.reason === "string" ? said.reason : null };
}
