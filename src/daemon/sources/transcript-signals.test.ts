import { expect, test } from "vitest";
import type { Parsed } from "../../agents/parsed.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { TranscriptSignals } from "./transcript-signals.ts";

const evidence = { source: "transcript", rule: "test", excerpt: null } as const;
const WORKING: Parsed = { signal: { ...evidence, says: "working" } };
const READY: Parsed = { signal: { ...evidence, says: "ready" } };
const TEXT: Parsed = { entries: [{ role: "user", kind: "text", text: "go on", tool: null }] };

async function toldBy(...lines: readonly Parsed[]): Promise<string[]> {
  const signals = new TranscriptSignals();
  for (const line of lines) signals.filter(line);
  const told: Signal[] = [];
  await signals.catchUp(async (signal) => void told.push(signal));
  return told.map(({ says }) => says);
}

test("an agent whose turn began before its text was written is working", async () => {
  expect(await toldBy(READY, WORKING, TEXT)).toEqual(["working"]);
});

test("an agent that rested before a text is not known to rest", async () => {
  expect(await toldBy(WORKING, READY, TEXT)).toEqual([]);
});
