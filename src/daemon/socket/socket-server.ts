import { closeSync, openSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import type { Logger } from "pino";
import { RollcallError } from "../../domain/errors.ts";
import { isJsonObject } from "../../domain/json.ts";
import type { Asker } from "../../domain/session/event.ts";
import { fromWire, toWire } from "../../domain/wire.ts";
import { checkCall } from "../../operations/check-call.ts";
import { type Answer, type Call, type Greeting, LineReader, PROTOCOL } from "../../operations/protocol.ts";
import type { OperationName } from "../../operations/table.ts";
import { onBehalf } from "../asker.ts";

/** Takes the checked input in our own form; the signal says that the caller has left. */
export type Handler = (input: never, signal: AbortSignal) => Promise<unknown>;
export type Handlers = Readonly<Record<OperationName, Handler>>;

export interface SocketServerOptions {
  readonly socket: string;
  readonly version: string;
  readonly handlers: Handlers;
  readonly redact: <T>(value: T) => T;
  readonly log: Logger;
  /** The caller, by the pid that it tells. */
  readonly findAsker?: (pid: number | undefined) => Asker | undefined;
}

/** These last as long as a session may; whoever leaves does not wait for them. */
const LONG: readonly string[] = ["wait_for_session", "end_session"] satisfies OperationName[];
const LEAVING_MS = 1000;

/** The unix socket that the command line speaks through: one line a call, one line an answer. */
export async function openSocketServer(options: SocketServerOptions): Promise<AsyncDisposable> {
  const callers = new Set<Caller>();
  const server = createServer((socket) => {
    const caller = new Caller(socket);
    callers.add(caller);
    socket.on("close", () => callers.delete(caller));
    serve(caller, options);
  });
  await listen(server, options.socket);
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const caller of callers) caller.leave();
      // A client that does not leave by itself is not waited for.
      setTimeout(() => callers.forEach(({ socket }) => void socket.destroy()), LEAVING_MS).unref();
      await closed;
    },
  };
}

/** One connection. When the daemon leaves, what was asked is answered, and what is asked then is refused. */
class Caller {
  readonly socket: Socket;
  isLeaving = false;
  #hasCalled = false;
  #pending = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  async during(call: Call, work: Promise<Answer>, say: (answer: Answer) => void): Promise<void> {
    const count = LONG.includes(call.operation) ? 0 : 1;
    this.#hasCalled = true;
    this.#pending += count;
    say(await work);
    this.#pending -= count;
    this.#endIfDone();
  }

  leave(): void {
    this.isLeaving = true;
    this.#endIfDone();
  }

  /** A client that has connected but not called yet gets time to call. */
  #endIfDone(): void {
    if (this.isLeaving && this.#hasCalled && this.#pending === 0) this.socket.end();
  }
}

/** Through the open folder, because the address has room for 107 bytes. The lock is ours: what stands there is stale. */
async function listen(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  const folder = openSync(dirname(path), "r");
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`/proc/self/fd/${folder}/daemon.sock`, resolve);
    });
  } finally {
    process.umask(mask);
    closeSync(folder);
  }
}

function serve(caller: Caller, options: SocketServerOptions): void {
  const { socket } = caller;
  const greeting: Greeting = { rollcall: { version: options.version, protocol: PROTOCOL, pid: process.pid } };
  const left = new AbortController();
  const reader = new LineReader();
  const say = (message: Answer | Greeting) => {
    // Backpressure: a client that does not read its answers is not listened to until it does.
    if (socket.writable && !socket.write(`${JSON.stringify(message)}\n`)) socket.pause();
  };
  socket.on("drain", () => socket.resume());
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("close", () => left.abort());
  socket.on("data", (chunk: string) => {
    try {
      for (const line of reader.push(chunk)) {
        const call = readCall(line);
        const work = caller.isLeaving ? Promise.resolve(refuse(call)) : answer(call, options, left.signal);
        void caller.during(call, work, say);
      }
    } catch {
      socket.destroy();
    }
  });
  say(greeting);
}

/** Throws for a line that cannot be answered. */
function readCall(line: string): Call {
  const call: unknown = JSON.parse(line);
  if (isJsonObject(call) && typeof call.id === "number") return call as unknown as Call;
  throw new Error("A call is an object with a number.");
}

function refuse({ id }: Call): Answer {
  const error = new RollcallError("daemon_not_running", "The daemon is just stopping.", {
    hint: "Try again in a moment.",
  });
  return { id, error: describe(error) };
}

async function answer(call: Call, options: SocketServerOptions, signal: AbortSignal): Promise<Answer> {
  try {
    const pid = Number.isInteger(call.pid) ? call.pid : undefined;
    const work = async () => perform(call, options.handlers, signal);
    const result = await onBehalf(() => options.findAsker?.(pid), work);
    return { id: call.id, result: options.redact(toWire(result)) };
  } catch (error) {
    if (!(error instanceof RollcallError))
      options.log.error({ operation: call.operation, err: error }, "an operation failed");
    return { id: call.id, error: options.redact(describe(error)) };
  }
}

async function perform(
  { operation, input }: Call,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<unknown> {
  const checked = checkCall(operation, input);
  return handlers[checked.name](fromWire(checked.input) as never, signal);
}

function describe(error: unknown): Extract<Answer, { error: unknown }>["error"] {
  if (error instanceof RollcallError)
    return { code: error.code, message: error.message, hint: error.hint ?? null, facts: error.facts };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "internal",
    message: `Something went wrong in the daemon: ${message}`,
    hint: "Its log is daemon.log in the state folder.",
    facts: {},
  };
}
