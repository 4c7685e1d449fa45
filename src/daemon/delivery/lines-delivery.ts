import type { Lines } from "../../agents/deed.ts";
import type { Facts, HolderPort } from "../session/ports.ts";
import { unreachable } from "./unreachable.ts";
import type { Way } from "./way.ts";

/** Writes lines of a protocol to the agent's standard input. A protocol takes them at any time. */
export class LinesDelivery implements Way<Lines> {
  readonly #ports: Pick<Facts, "id"> & HolderPort;

  constructor(ports: Pick<Facts, "id"> & HolderPort) {
    this.#ports = ports;
  }

  async untilReadyMs(): Promise<number> {
    return 0;
  }

  async deliver({ lines, closes }: Lines): Promise<void> {
    const { connection } = this.#ports.holder;
    if (!connection) throw unreachable(this.#ports.id);
    if (lines.length > 0) connection.input(lines.map((line) => `${line}\n`).join(""));
    if (closes) connection.closeInput();
  }
}
