import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, rename, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { LAUNCH_FILES } from "../home/launch-folder.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import { type HolderMessage, readMessage, type Stream } from "./holder-message.ts";

export interface HolderOptions {
  /** The path of the native program. */
  readonly binary: string;
  /** The session's runtime folder, made by the caller for its user alone (0700). */
  readonly dir: string;
  readonly host: "pty" | "pipe" | "acp";
  readonly command: readonly string[];
  /** The agent's whole environment, with the session's marker in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly graceMs?: number;
  readonly spoolBytes?: number;
  readonly keepChildren?: boolean;
  /** The agent's; without it, that of this process. */
  readonly umask?: number;
}

export interface MarkedProcesses {
  readonly marker: string;
  readonly processes: readonly { readonly pid: number; readonly startTime: string }[];
}

export type HolderStart =
  | { readonly ok: true; readonly guard: number; readonly holder: number; readonly agent: number }
  /** `step` is what failed: `exec` is the command itself, `cwd` its folder. */
  | { readonly ok: false; readonly error: string; readonly step: string };

/** Starts a holder; it outlives this process. Resolves once the command runs, or could not. */
export async function startHolder(options: HolderOptions): Promise<HolderStart> {
  const child = spawn(options.binary, holderArguments(options), {
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let out = "";
  let err = "";
  // Without a file descriptor left there are no streams, and the error comes after this.
  child.stdout?.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (err += data.toString()));
  await closed;
  if (out === "") throw new Error(`The holder gave no answer. ${err}`.trim());
  return JSON.parse(out) as HolderStart;
}

function holderArguments(options: HolderOptions): string[] {
  const { dir, host, cwd, cols, rows, graceMs, spoolBytes, keepChildren, umask, command } = options;
  const numbers = Object.entries({ cols, rows, "grace-ms": graceMs, "spool-bytes": spoolBytes, umask });
  return [
    ...["--dir", dir, "--host", host, "--cwd", cwd],
    ...numbers.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
    ...(keepChildren ? ["--keep-children"] : []),
    "--",
    ...command,
  ];
}

export interface HolderHello {
  /** `control` drives the session; `view` is a terminal that shows it. */
  readonly role: "control" | "view";
  /** Where to begin in `out` (and `err`); null for what comes from now on. */
  readonly from?: number | null;
  readonly errFrom?: number | null;
  /** Whether this view wants to type: the newest that does is the typist. */
  readonly types?: boolean;
  readonly cols?: number;
  readonly rows?: number;
}

/** Connects to the holder of a runtime folder. Rejects with the system's error where none listens. */
export async function connectHolder(dir: string, hello: HolderHello): Promise<HolderConnection> {
  const folder = await open(dir);
  try {
    const reader = new FrameReader();
    const socket = await connectThrough(folder, reader);
    const { errFrom, ...rest } = hello;
    socket.write(encodeFrame("H", JSON.stringify({ ...rest, err_from: errFrom ?? null })));
    return new HolderConnection(socket, reader);
  } finally {
    await folder.close();
  }
}

/** By the open folder: a socket's address has room for 107 bytes, and a folder's path may be longer. */
async function connectThrough(folder: FileHandle, reader: FrameReader): Promise<Socket> {
  const callback = (count: number, room: Uint8Array) => {
    reader.push(room.subarray(0, count));
    socket.emit(CAME);
    // Reads no more until it is resumed.
    return false;
  };
  const path = `/proc/self/fd/${folder.fd}/socket`;
  const socket = connect({ path, onread: { buffer: READ_ROOM, callback } });
  await once(socket, "connect");
  return socket;
}

/** All connections read into it, one at a time: what came is copied at once. */
const READ_ROOM = Buffer.allocUnsafeSlow(64 * 1024);
const CAME = "came";

/** As in the holder, which hangs up on a larger one. */
const MOST_FRAME_BYTES = 1024 * 1024;
const HANG_UPS = new Set(["ECONNRESET", "EPIPE"]);

/**
 * A connection to a holder. It is read by iterating over it; a reader that pauses makes the holder wait or, as a view, drop
 * it. The bytes of a message are its reader's until it asks for the next one.
 */
export class HolderConnection implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #reader: FrameReader;

  constructor(socket: Socket, reader: FrameReader) {
    this.#socket = socket;
    this.#reader = reader;
    // Told to the one who iterates; without a listener it would end this process.
    socket.on("error", () => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HolderMessage, void, void> {
    do for (const frame of this.#reader.frames()) yield readMessage(frame);
    while (await this.#readMore());
  }

  /** False at the end of what the holder said. */
  async #readMore(): Promise<boolean> {
    const socket = this.#socket;
    if (socket.destroyed || socket.readableEnded) return this.#over();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const [came, over] = [() => resolve(true), () => resolve(false)];
    socket.once(CAME, came).once("end", over).once("close", over);
    socket.resume();
    const isMore = await promise;
    socket.off(CAME, came).off("end", over).off("close", over);
    return isMore || this.#over();
  }

  #over(): false {
    const error = this.#socket.errored as NodeJS.ErrnoException | null;
    // The holder left with frames of ours unread: for the reader that is an end like any other.
    if (error && !HANG_UPS.has(error.code ?? "")) throw error;
    return false;
  }

  /** To the agent's terminal or standard input, up to 1 MiB in one piece. Waits while the agent does not read. */
  input(bytes: Uint8Array | string): void {
    const all = Buffer.from(bytes);
    for (let at = 0; at < all.length; at += MOST_FRAME_BYTES)
      this.#send("I", all.subarray(at, at + MOST_FRAME_BYTES));
  }

  /** No more input will come. Not for a terminal. */
  closeInput(): void {
    this.#send("C");
  }

  /** Takes effect while this view is the typist. */
  resize(cols: number, rows: number): void {
    this.#send("R", JSON.stringify({ cols, rows }));
  }

  takeOver(): void {
    this.#send("T");
  }

  /** Bytes below the offset are stored elsewhere: the spool may drop them. */
  acknowledge(stream: Stream, offset: number): void {
    this.#send("A", JSON.stringify({ stream, offset }));
  }

  /** Idempotent; a second one can only shorten the grace. */
  end(graceMs?: number): void {
    this.#send("E", JSON.stringify(graceMs === undefined ? {} : { grace_ms: graceMs }));
  }

  /** Stops every process of the session; the message `paused` says when they are. Idempotent. Survives this connection. */
  pause(): void {
    this.#send("P");
  }

  /** Lets every process of the session go on, also one that stopped by itself. Idempotent. */
  continue(): void {
    this.#send("K");
  }

  /** The status comes as a message. */
  askStatus(): void {
    this.#send("S");
  }

  /** Sends a frame as it is; for what has no method of its own. */
  send(frame: Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(frame);
  }

  #send(type: string, payload: Uint8Array | string = ""): void {
    this.send(encodeFrame(type, payload));
  }

  /** Sends what is queued, then leaves: for a view that is a detach, never an end. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.closed) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#socket.destroySoon();
    await closed;
  }
}

/** Signals processes of a launch by its marker; each only while it is still the one that was meant, and this user's. */
export async function signalMarked(
  binary: string,
  signal: "TERM" | "KILL" | "CONT",
  { marker, processes }: MarkedProcesses,
): Promise<void> {
  const named = processes.map(({ pid, startTime }) => `${pid}:${startTime}`);
  const child = spawn(binary, ["--signal", signal, marker, ...named], { stdio: "ignore" });
  await once(child, "close");
}

/** Ends a session without a connection: works with a holder that is too busy to listen. */
export async function endByFile(dir: string, graceMs: number): Promise<void> {
  const temp = join(dir, `.${LAUNCH_FILES.end}.tmp`);
  await writeFile(temp, String(graceMs), { mode: 0o600 });
  await rename(temp, join(dir, LAUNCH_FILES.end));
}
