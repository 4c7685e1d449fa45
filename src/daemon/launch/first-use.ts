import { readdirSync } from "node:fs";
import type { LaunchPlan } from "../../agents/launch.ts";

type Made = NonNullable<LaunchPlan["makes"]>;

/**
 * The starts of programs that make a database when they are used first. The first one goes alone until it is up: several
 * at once fail in each other's way, and leave.
 */
export class FirstUse {
  readonly #making = new Map<string, Promise<void>>();

  /** Starts at once, unless the database is missing and another start is making it. Others wait for `untilUp`. */
  async start<T>(
    makes: Made | undefined,
    start: () => Promise<T>,
    untilUp: (started: T) => Promise<void>,
  ): Promise<T> {
    if (makes === undefined) return start();
    const { folder } = makes;
    // The one that was making it may have failed: then the next one makes it.
    for (let making = this.#making.get(folder); making; making = this.#making.get(folder)) await making;
    return isMade(makes) ? start() : this.#startAlone(folder, start, untilUp);
  }

  async #startAlone<T>(
    folder: string,
    start: () => Promise<T>,
    untilUp: (started: T) => Promise<void>,
  ): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#making.set(folder, promise);
    const letOthersGo = () => {
      this.#making.delete(folder);
      resolve();
    };
    try {
      const started = await start();
      void untilUp(started).then(letOthersGo, letOthersGo);
      return started;
    } catch (error) {
      letOthersGo();
      throw error;
    }
  }
}

function isMade({ folder, name }: Made): boolean {
  const database = new RegExp(name, "u");
  try {
    return readdirSync(folder).some((file) => database.test(file));
  } catch {
    return false;
  }
}
