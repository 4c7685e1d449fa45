import { setTimeout as sleep } from "node:timers/promises";

/** A terminal that answers does so at once. */
const ANSWER_MS = 500;
/** Longer reports are not read by the terminal. */
const MOST_BYTES = 8000;

type Field = string | { readonly text: string };
export type Fields = Readonly<Record<string, Field>>;

/** The state as OSC 7501 tells it, to a terminal that said it listens. */
export class Status {
  readonly #write: (bytes: string) => void;
  #isHeard = false;
  #resolve = () => {};
  readonly #heard = new Promise<void>((resolve) => (this.#resolve = resolve));
  #last: string | undefined;

  constructor(write: (bytes: string) => void) {
    this.#write = write;
  }

  ask(): void {
    this.#write("\x1b]7501;?\x07");
  }

  heard(): void {
    if (this.#isHeard) return;
    this.#isHeard = true;
    this.#resolve();
    if (this.#last !== undefined) this.#write(this.#last);
  }

  /** When the terminal has answered, or will not. */
  async settled(): Promise<void> {
    await Promise.race([this.#heard, sleep(ANSWER_MS)]);
  }

  /** Values other than a plain word are given as `{ text }` and become base64. */
  report(state: string, more: Fields = {}): void {
    const all = Object.entries<Field>({ state, app: "scripted", ...more });
    const fields = all.map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : base64(value.text)}`,
    );
    const bytes = `\x1b]7501;${fitting(fields).join(":")}\x07`;
    if (!("id" in more)) this.#last = bytes;
    if (this.#isHeard) this.#write(bytes);
  }
}

/** The longest values are left out first. */
function fitting(fields: readonly string[]): readonly string[] {
  if (fields.join(":").length <= MOST_BYTES) return fields;
  const longest = fields.reduce((long, field) => (field.length > long.length ? field : long));
  return fitting(fields.filter((field) => field !== longest));
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
