import { once } from "node:events";
import { open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { ERRORS, type ErrorCode, RollcallError } from "../domain/errors.ts";
import { fromWire, toWire } from "../domain/wire.ts";
import { type Answer, type Greeting, LineReader, PROTOCOL } from "../operations/protocol.ts";
import type { OperationName } from "../operations/table.ts";

/** The operations of the daemon, by name. */
export type Verb = OperationName;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A connection to the daemon. Calls may overlap; closing it withdraws those that wait. */
export class Client implements Disposable {
  readonly greeting: Greeting["rollcall"];
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #calls = 0;
  /** Resolves when the daemon has closed its side. */
  readonly closed: Promise<void>;

  constructor(socket: Socket, greeting: Greeting["rollcall"]) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    this.greeting = greeting;
  }

  /** Our own form on both sides; errors keep their code, hint and facts. */
  async call<T>(operation: Verb, input: object): Promise<T> {
    if (this.#socket.destroyed || !this.#socket.writable) throw lost();
    this.#calls += 1;
    const id = this.#calls;
    const answered = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#socket.write(`${JSON.stringify({ id, operation, input: toWire(input), pid: process.pid })}\n`);
    return fromWire(await answered) as T;
  }

  take(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ("result" in answer) pending?.resolve(answer.result);
    else pending?.reject(errorOf(answer.error));
  }

  /** The daemon left in the middle of a call: whether it was done cannot be told from here. */
  lose(): void {
    for (const { reject } of this.#pending.values()) reject(lost());
    this.#pending.clear();
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

function lost(): RollcallError {
  return new RollcallError("daemon_failed", "The daemon left before it answered.", {
    hint: "See `rollcall get` for what came of it, and `rollcall status` for the daemon's log.",
  });
}

/** A daemon that is stopped or hangs takes connections and says nothing. */
const GREETING_MS = 30_000;

/** The socket of the daemon that listens in a runtime folder; undefined where none does. */
export async function connectDaemon(
  folder: string,
  greetingMs: number = GREETING_MS,
): Promise<Client | undefined> {
  const socket = await connectSocket(folder);
  if (!socket) return undefined;
  socket.setEncoding("utf8");
  const reader = new LineReader();
  let client: Client | undefined;
  const greeted = new Promise<Client | undefined>((resolve, reject) => {
    socket.on("data", (chunk: string) => {
      try {
        for (const line of reader.push(chunk)) {
          const message = JSON.parse(line) as Answer | Greeting;
          if (!("rollcall" in message)) client?.take(message);
          else {
            client = greet(socket, message.rollcall);
            resolve(client);
          }
        }
      } catch (error) {
        reject(error);
        socket.destroy();
      }
    });
    socket.on("close", () => {
      client?.lose();
      resolve(undefined);
    });
    if (socket.destroyed) resolve(undefined);
  });
  return inTime(greeted, socket, greetingMs);
}

async function inTime(
  greeted: Promise<Client | undefined>,
  socket: Socket,
  greetingMs: number,
): Promise<Client | undefined> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new RollcallError("daemon_failed", "The daemon takes connections and does not answer.", {
        hint: "See daemon.log in the state folder; its pid is in run/daemon.pid there.",
      }),
    );
    socket.destroy();
  }, greetingMs);
  try {
    return await Promise.race([greeted, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function greet(socket: Socket, greeting: Greeting["rollcall"]): Client {
  if (greeting.protocol === PROTOCOL) return new Client(socket, greeting);
  throw new RollcallError(
    "daemon_other_version",
    `The running daemon (${greeting.version}) uses an incompatible protocol.`,
    { hint: "`rollcall up` replaces it; agents run on.", facts: { ...greeting } },
  );
}

/** Through the open folder: the address of a socket has room for 107 bytes, and a folder's path may be longer. */
async function connectSocket(folder: string): Promise<Socket | undefined> {
  try {
    const handle = await open(folder);
    try {
      const socket = connect(`/proc/self/fd/${handle.fd}/daemon.sock`);
      await once(socket, "connect");
      // A daemon that is just leaving may be gone before anyone listens.
      socket.on("error", () => {});
      return socket;
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function errorOf({
  code,
  message,
  hint,
  facts,
}: Extract<Answer, { error: unknown }>["error"]): RollcallError {
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "internal";
  return new RollcallError(known, message, { ...(hint === null ? {} : { hint }), facts });
}
