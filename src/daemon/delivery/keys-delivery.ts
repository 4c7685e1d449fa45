import { setTimeout as sleep } from "node:timers/promises";
import { type Keys, keysIn } from "../../agents/deed.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Facts, HolderPort, ScreenPort, WallClock } from "../session/ports.ts";
import { unreachable } from "./unreachable.ts";
import type { Way } from "./way.ts";

/** Agents hold a dialog back after a key, and an earlier answer would stay in the prompt box. */
const AFTER_KEY_MS = 1200;
/** A key that comes in the moment in which a dialog is drawn is dropped. */
const AFTER_DRAWN_MS = 500;
const NEXT_LOOK_MS = 50;
/** An Enter that comes in one piece with a paste would be taken for part of it. */
const BETWEEN_KEYS_MS = 50;
const SHOWN_MS = 10_000;
const AGAIN_MS = 1000;
/** A cursor that does not move by then may be one that this program does not show. */
const MOVED_MS = 5000;

type Ports = Pick<Facts, "id"> & HolderPort & ScreenPort & WallClock;

/** Presses keys at the agent's terminal, each only when the screen shows the page that it is for. */
export class KeysDelivery implements Way<Keys> {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Nobody typed for a while, the dialog had time to be drawn, and it is on the screen. */
  async untilReadyMs({ onScreen }: Keys, request: Waiting | null): Promise<number> {
    const status = await this.#ports.holder.status();
    const afterKeyMs = AFTER_KEY_MS - (status?.lastInputMsAgo ?? AFTER_KEY_MS);
    const drawnMs = request === null ? AFTER_DRAWN_MS : this.#ports.now() - Date.parse(request.since);
    const restMs = Math.max(afterKeyMs, Math.min(AFTER_DRAWN_MS - drawnMs, AFTER_DRAWN_MS));
    if (restMs > 0) return Math.max(restMs, NEXT_LOOK_MS);
    return onScreen === undefined || (await this.#shows(onScreen)) ? 0 : NEXT_LOOK_MS;
  }

  /** The first key is pressed at once: its caller has asked `untilReadyMs` before. */
  async deliver(deed: Keys): Promise<void> {
    for (const [index, key] of keysIn(deed).entries()) {
      const { bytes, onScreen, restMs = BETWEEN_KEYS_MS, movesCursor = false } = key;
      if (index > 0 && onScreen !== undefined) await this.#untilShown(onScreen);
      if (index > 0) await sleep(restMs, undefined, { ref: false });
      if (movesCursor) await this.#pressUntilMoved(bytes);
      else this.#press(bytes);
    }
  }

  #press(bytes: string): void {
    const { connection } = this.#ports.holder;
    if (!connection) throw unreachable(this.#ports.id);
    connection.input(bytes);
  }

  /** A key that a dialog dropped must not be followed by the next one, which would then mean something else. */
  async #untilShown(onScreen: string): Promise<void> {
    const lastMs = performance.now() + SHOWN_MS;
    while (!(await this.#shows(onScreen))) {
      if (performance.now() > lastMs) throw halfGiven(this.#ports.id);
      await sleep(NEXT_LOOK_MS);
    }
  }

  async #pressUntilMoved(bytes: string): Promise<void> {
    const place = await this.#cursor();
    const lastMs = performance.now() + MOVED_MS;
    do this.#press(bytes);
    while (!(await this.#isMoved(place)) && performance.now() < lastMs);
  }

  async #isMoved(place: string | undefined): Promise<boolean> {
    const lastMs = performance.now() + AGAIN_MS;
    while ((await this.#cursor()) === place) {
      if (place === undefined || performance.now() >= lastMs) return place === undefined;
      await sleep(NEXT_LOOK_MS);
    }
    return true;
  }

  async #cursor(): Promise<string | undefined> {
    const { row, column } = (await this.#ports.screen.now())?.cursor ?? {};
    return row === undefined ? undefined : `${row} ${column}`;
  }

  async #shows(onScreen: string): Promise<boolean> {
    const screen = await this.#ports.screen.now();
    return new RegExp(onScreen, "mu").test(screen?.text() ?? "");
  }
}

function halfGiven(id: string): RollcallError {
  return new RollcallError(
    "not_delivered",
    `Session ${id} does not show what was chosen so far; nothing more was sent, and nothing was submitted.`,
    { hint: `Look at it with \`rollcall attach ${id}\`.` },
  );
}
