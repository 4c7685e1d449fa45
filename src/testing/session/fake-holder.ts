import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { toWire } from "../../domain/wire.ts";
import { encodeFrame, FrameReader } from "../../host/frames.ts";
import type { HolderMessage, HolderStatus } from "../../host/holder-message.ts";
import { identifyProcess } from "../../machine/process.ts";
import { statusOf } from "./ports.ts";
import { Recorder } from "./recorder.ts";

type Said = Exclude<HolderMessage, { type: "output" } | HolderStatus>;

/** The socket of a holder in a launch folder, with a test behind it instead of an agent. */
export class FakeHolder implements AsyncDisposable {
  readonly heard = new Recorder<string>();
  /** Null for one that does not answer, as when someone has stopped it. */
  status: Partial<HolderStatus> | null = {};
  readonly #server: Server;
  #socket: Socket | undefined;
  /** Messages from before anybody was connected. */
  readonly #unsent: Uint8Array[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#follow(socket));
  }

  /** It says of this very process that it is the agent. */
  static async in(folder: string): Promise<FakeHolder> {
    const server = createServer();
    const holder = new FakeHolder(server);
    server.listen(join(folder, "socket"));
    await once(server, "listening");
    const own = identifyProcess(process.pid);
    const file = { version: 1, host: "pty", startedAt: "2026-01-08T18:05:30.000Z", bootId: own.bootId };
    const processes = { guard: own, holder: own, agent: own };
    writeFileSync(join(folder, "holder.json"), JSON.stringify(toWire({ ...file, ...processes })));
    return holder;
  }

  say(message: Said): void {
    this.#send("J", JSON.stringify(message));
  }

  sayStatus(): void {
    if (this.status === null) return;
    const { reports, ...rest } = statusOf(this.status);
    const wire = { ...(toWire(rest) as object), reports: { main: reports.main, by_id: reports.byId } };
    this.#send("J", JSON.stringify(wire));
  }

  write(text: string, offset = 0, stream: "out" | "err" = "out"): void {
    const at = Buffer.alloc(8);
    at.writeBigUInt64LE(BigInt(offset));
    this.#send(stream === "out" ? "O" : "X", Buffer.concat([at, Buffer.from(text)]));
  }

  /** Leaves without a word. */
  leave(): void {
    this.#socket?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  #send(type: string, payload: Uint8Array | string): void {
    const frame = encodeFrame(type, payload);
    if (this.#socket) this.#socket.write(frame);
    else this.#unsent.push(frame);
  }

  #follow(socket: Socket): void {
    const reader = new FrameReader();
    this.#socket = socket;
    socket.on("error", () => {});
    for (const frame of this.#unsent.splice(0)) socket.write(frame);
    socket.on("data", (chunk: Buffer) => {
      for (const { type, payload } of reader.push(chunk)) {
        if (type === "S") this.sayStatus();
        this.heard.add(payload.length === 0 ? type : `${type} ${payload.toString()}`);
      }
    });
  }
}
