import { Child, type ChildOptions } from "./child.ts";
import type { Answer, Operations } from "./workers/driver.ts";

/** A process that uses the library as it is told, one line at a time. A crash of it fails the question. */
export class Driver implements AsyncDisposable {
  readonly #child: Child;
  #asked = 0;

  constructor(options: ChildOptions) {
    this.#child = new Child("driver.ts", [], options);
  }

  get child(): Child {
    return this.#child;
  }

  async ask<K extends keyof Operations>(
    name: K,
    ...args: Parameters<Operations[K]>
  ): Promise<Answer<Awaited<ReturnType<Operations[K]>>>> {
    this.#child.send(JSON.stringify({ name, args }));
    this.#asked++;
    await this.#child.said(this.#asked);
    return JSON.parse(this.#child.lines[this.#asked - 1] as string);
  }

  /** For what must succeed. */
  async get<K extends keyof Operations>(
    name: K,
    ...args: Parameters<Operations[K]>
  ): Promise<Awaited<ReturnType<Operations[K]>>> {
    const answer = await this.ask(name, ...args);
    if ("error" in answer) throw new Error(`${name} failed: ${JSON.stringify(answer.error)}`);
    return answer.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}
