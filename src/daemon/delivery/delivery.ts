import type { Deed } from "../../agents/deed.ts";
import type { Waiting } from "../../domain/session/session.ts";
import type { Facts, HolderPort, IntakePort, ScreenPort, WallClock } from "../session/ports.ts";
import { HttpDelivery } from "./http-delivery.ts";
import { KeysDelivery } from "./keys-delivery.ts";
import { LinesDelivery } from "./lines-delivery.ts";
import type { Way } from "./way.ts";

type Ways = { readonly [V in Deed["via"]]: Way<Extract<Deed, { via: V }>> };

/** Carries out deeds, each in its own way. Whether the agent accepted one is confirmed by its state, whatever the way. */
export class Delivery implements Way<Deed> {
  readonly #ports: IntakePort;
  readonly #ways: Ways;
  #implied: Promise<unknown> = Promise.resolve();

  constructor(ports: Facts & HolderPort & ScreenPort & IntakePort & WallClock) {
    this.#ports = ports;
    this.#ways = {
      keys: new KeysDelivery(ports),
      lines: new LinesDelivery(ports),
      http: new HttpDelivery(ports),
    };
  }

  async untilReadyMs(deed: Deed, request: Waiting | null): Promise<number> {
    return this.#wayOf(deed).untilReadyMs(deed, request);
  }

  async deliver(deed: Deed): Promise<void> {
    await this.#wayOf(deed).deliver(deed);
    if (deed.via !== "lines" || !deed.implies) return;
    const taken = this.#ports.intake.take(deed.implies);
    this.#implied = Promise.allSettled([this.#implied, taken]);
    await taken;
  }

  /** Resolves when all that follows from what was delivered is in the record. */
  async implied(): Promise<void> {
    await this.#implied;
  }

  #wayOf<D extends Deed>({ via }: D): Way<D> {
    return this.#ways[via] as unknown as Way<D>;
  }
}
