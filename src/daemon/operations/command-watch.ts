import { setTimeout as sleep } from "node:timers/promises";
import type { Facts, Loop, ScreenPort } from "../session/ports.ts";
import type { Watch } from "./watch-for.ts";

const STEP_MS = 150;
/** A command that makes the agent work says so by then. */
const WORK_MS = 1000;

type Ports = Facts & ScreenPort & Pick<Loop, "observe">;

/**
 * A command of the agent's own may show on its screen alone: it was taken when something else stands there than before
 * it was typed, and no longer in the prompt box. Twice in a row, for the agent may be about to draw it there.
 */
export class CommandWatch implements Disposable {
  readonly #session: Ports;
  readonly #taken: Watch;
  readonly #turn = Promise.withResolvers<number | null>();
  #isStopped = false;

  constructor(session: Ports, taken: Watch) {
    this.#session = session;
    this.#taken = taken;
  }

  async begin(): Promise<void> {
    const { emptyBox } = this.#session.carrying.mode.controls;
    if (!emptyBox) return;
    const before = await this.#screen();
    // Without a screen to look at, the other signs are left.
    this.#look((screen) => screen !== before && emptyBox(screen) === undefined).catch(() => {});
  }

  /** The turn that the command began. */
  awaits(turn: number | null): void {
    this.#turn.resolve(turn);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#turn.resolve(null);
  }

  async #look(isOut: (screen: string) => boolean): Promise<void> {
    for (let times = 0; !this.#isStopped && times < 2; ) {
      await sleep(STEP_MS);
      times = isOut(await this.#screen()) ? times + 1 : 0;
    }
    const turn = await this.#turn.promise;
    if (turn === null) return;
    await sleep(WORK_MS);
    // Says nothing where the agent has told by itself what became of it.
    await this.#session.observe({ saw: "command_shown", turn });
    this.#taken.saw();
  }

  async #screen(): Promise<string> {
    return (await this.#session.screen.now())?.text() ?? "";
  }
}
