import type { Controls } from "../../deed.ts";
import type { GeminiMemory } from "../memory.ts";
import { workingSignal } from "../signals.ts";

/**
 * One text, and the end of the input behind it. It reads both once it has come up, however long that takes. While it
 * works it hears nothing but signals.
 */
export const controls: Controls<GeminiMemory> = {
  say: (_, text) => ({
    via: "lines",
    lines: text.split("\n"),
    closes: true,
    implies: { signal: workingSignal({ source: "stream", rule: "text_written" }) },
  }),
  approve: () => undefined,
  deny: () => undefined,
  answer: () => undefined,
  interrupt: () => undefined,
  stop: () => undefined,
};
