import type { Keystroke, Keystrokes } from "./agent.ts";

/** All that is to be pressed, in order. */
export function keystrokesIn({ more = [], ...first }: Keystrokes): readonly Keystroke[] {
  return [first, ...more.map((next) => (typeof next === "string" ? { bytes: next } : next))];
}
