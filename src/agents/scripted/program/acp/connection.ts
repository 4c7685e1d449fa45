type Id = number | string;

/** One message that came in, as far as it is understood. */
export interface Incoming {
  readonly id?: Id;
  readonly method?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** JSON-RPC on standard input and output, a message on each line. */
export class Connection {
  #hear: (message: Incoming) => void = () => {};
  #ended: () => void = () => {};
  readonly #early: Incoming[] = [];
  #isHeard = false;
  #isEnded = false;

  constructor() {
    let rest = "";
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (line.trim() !== "") this.#take(line);
    });
    process.stdin.on("end", () => {
      this.#isEnded = true;
      this.#ended();
    });
  }

  /** Hands over each message, also those that came before, until someone else listens. */
  listen(hear: (message: Incoming) => void, ended: () => void = () => {}): void {
    this.#hear = hear;
    this.#ended = ended;
    this.#isHeard = true;
    for (let next = this.#early.shift(); next && this.#hear === hear; next = this.#early.shift()) hear(next);
    if (this.#isEnded) ended();
  }

  /** Keeps what comes for the next one who listens. */
  hold(): void {
    this.#isHeard = false;
  }

  send(message: object): void {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  answer(id: Id | undefined, result: object): void {
    this.send({ id, result });
  }

  refuse(id: Id | undefined, code: number, message: string, data?: object): void {
    this.send({ id, error: { code, message, ...(data ? { data } : {}) } });
  }

  #take(line: string): void {
    const message = read(line);
    if (!message) this.send({ id: null, error: { code: -32700, message: "Parse error" } });
    else if (this.#isHeard) this.#hear(message);
    else this.#early.push(message);
  }
}

function read(line: string): Incoming | undefined {
  try {
    const message = JSON.parse(line) as Partial<Incoming>;
    return { ...message, params: message.params ?? {} };
  } catch {
    return undefined;
  }
}
