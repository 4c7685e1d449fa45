import type { HttpCall } from "../../agents/deed.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { Facts } from "../session/ports.ts";
import { askServer } from "../sources/agent-server.ts";
import { unreachable } from "./unreachable.ts";
import type { Way } from "./way.ts";

/** As long as an agent may take to show that it took something: on a busy machine its server is no faster than the rest. */
const TAKEN_MS = 10_000;

type Ports = Pick<Facts, "id" | "carrying">;

/** Calls the agent's own server on loopback, with the password of the launch. A server takes calls at any time. */
export class HttpDelivery implements Way<HttpCall> {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async untilReadyMs(): Promise<number> {
    return 0;
  }

  async deliver({ method, path, body }: HttpCall): Promise<void> {
    const { id, carrying } = this.#ports;
    const { server } = carrying.agentPaths;
    if (server === null) throw unreachable(id);
    const call = { method, path, ...(body === undefined ? {} : { body }) };
    const { status } = await askServer(server, call, TAKEN_MS).catch((cause: unknown) => {
      throw notAccepted(id, "its server does not answer", cause);
    });
    if (status < 200 || status > 299) throw notAccepted(id, `its server answers ${status}`);
  }
}

function notAccepted(id: string, why: string, cause?: unknown): RollcallError {
  return new RollcallError("not_delivered", `Session ${id} did not accept it: ${why}.`, {
    hint: `See \`rollcall explain ${id}\`.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
