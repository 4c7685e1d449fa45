import { setTimeout as sleep } from "node:timers/promises";
import { parseDuration } from "../../../domain/time.ts";
import { type Turn, TurnFailed, type Used, untilAborted } from "./turn.ts";

const WORDS = "the quick brown fox jumps over the lazy dog and goes on".split(" ");
const STREAM_MS = 20;
const SPENT = { input: 900, output: 150, cache_write: 1000, reasoning: 50, cost_usd: null };
const SPENT_WORDS = 20;
const FLOOD_LINE = `${"0123456789".repeat(8).slice(2)}\r\n`;
const FLOOD_CHUNK = FLOOD_LINE.repeat(820);
const UNITS: Readonly<Record<string, number>> = { "": 1, KB: 1000, MB: 1_000_000 };

/** Directives for output and for the time it takes. */
export const TALK_DIRECTIVES = {
  say: (turn: Turn, text: string) => turn.say(text),
  think: (turn: Turn, text: string) => turn.tell({ type: "thinking", text }),
  stream,
  work: async (turn: Turn, text: string) => {
    await sleep(duration(text), undefined, { signal: turn.signal });
  },
  background,
  usage: (turn: Turn, text: string) => turn.use(usage(text)),
  spend,
  fail: (_: Turn, text: string) => {
    throw new TurnFailed(text);
  },
  flood,
  bell: (turn: Turn) => turn.face.control("\x07"),
  title: (turn: Turn, text: string) => turn.face.control(`\x1b]2;${text}\x07`),
  hang: (turn: Turn) => untilAborted(turn.signal),
};

async function stream(turn: Turn, text: string): Promise<void> {
  const [count, ms = String(STREAM_MS)] = text.split(/\s+/);
  const words = await showWords(turn, Number(count), Number(ms));
  turn.say(words.join(" "));
}

/** As an agent at work: one request after the other, each with the conversation so far in the cache. */
async function spend(turn: Turn, text: string): Promise<void> {
  const [count, ms = String(STREAM_MS)] = text.split(/\s+/);
  for (let done = 0; done < Number(count); done++) {
    turn.use({ ...SPENT, cache_read: SPENT.cache_write * done });
    await showWords(turn, SPENT_WORDS, Number(ms));
  }
}

async function showWords(turn: Turn, count: number, ms: number): Promise<string[]> {
  const words = Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length] as string);
  for (const word of words) {
    turn.face.showWord(word);
    await sleep(ms, undefined, { signal: turn.signal });
  }
  return words;
}

/** As a sub-agent does: the turn goes on beside it and ends after it. */
function background(turn: Turn, text: string): void {
  const id = `helper-${turn.background.length + 1}`;
  const task = sleep(duration(text), undefined, { signal: turn.signal });
  turn.face.helper(id, true);
  turn.background.push(task.finally(() => turn.face.helper(id, false)));
  // An interrupt before the end of the turn is met where the turn waits.
  turn.background.at(-1)?.catch(() => {});
}

function usage(text: string): Used {
  const [input, output, cacheRead, cacheWrite, reasoning, cost] = text.split(/\s+/).map(amount);
  if (input === undefined || output === undefined) throw new Error("usage IN OUT [...]");
  return {
    input,
    output,
    cache_read: cacheRead ?? null,
    cache_write: cacheWrite ?? null,
    reasoning: reasoning ?? null,
    cost_usd: cost ?? null,
  };
}

/** A dash is "not measured". */
function amount(word: string): number | null {
  if (word === "-") return null;
  if (/^\d+(\.\d+)?$/.test(word)) return Number(word);
  throw new Error(`${word} is not a number`);
}

async function flood(turn: Turn, text: string): Promise<void> {
  const match = /^(\d+)\s*(KB|MB|)$/i.exec(text);
  if (!match) throw new Error(`${text} is not a number of bytes`);
  let left = Number(match[1]) * (UNITS[(match[2] as string).toUpperCase()] as number);
  while (left > 0 && !turn.signal.aborted) {
    await turn.face.flood(FLOOD_CHUNK.slice(0, left));
    left -= FLOOD_CHUNK.length;
  }
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${text} is not a duration`);
  return ms;
}
