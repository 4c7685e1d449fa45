import type { HistoryBase } from "../../agents/history.ts";
import type { Memory } from "../../agents/parsed.ts";
import { shortFacts } from "../../domain/short-value.ts";
import type { Source } from "../sources.ts";

/** Far more than a person takes back or forks one after the other. */
const MOST_BASES = 100;

/** The parser's memory at the place where the records of a history begin. */
export interface BaseMemory {
  readonly memory: Memory;
  /** The place that the history goes on from was found. */
  readonly isBaseRead: boolean;
}

/** Reads the histories that others go on from, up to the place where they do. */
export class Bases {
  readonly #byFile = new Map<string, Source>();

  constructor(sources: readonly Source[]) {
    for (const source of sources) {
      const { file } = source.place;
      if (file !== undefined && !this.#byFile.has(nameOf(source, file)))
        this.#byFile.set(nameOf(source, file), source);
    }
  }

  async read(source: Source, base: HistoryBase | undefined): Promise<BaseMemory> {
    const { afterBase } = source.history;
    if (base === undefined || afterBase === undefined) return { memory: {}, isBaseRead: true };
    const memory = await this.#memoryAt(source, base, MOST_BASES);
    return { memory: afterBase(memory) as Memory, isBaseRead: memory !== undefined };
  }

  /** Undefined where the other history is not there, or does not reach the place yet. */
  async #memoryAt(from: Source, { file, before }: HistoryBase, left: number): Promise<Memory | undefined> {
    const source = this.#byFile.get(nameOf(from, file));
    using opened = left > 0 ? source?.reader.open(source.path) : undefined;
    if (source === undefined || opened === undefined) return undefined;
    const { history } = source;
    let memory: Memory = {};
    let isFirst = true;
    for await (const batch of opened.records(0))
      for (const { read } of batch) {
        const record = read();
        if (record === undefined) continue;
        const base = isFirst ? shortFacts(history.describe(record)).base : undefined;
        isFirst = false;
        if (base !== undefined) {
          const earlier = await this.#memoryAt(source, base, left - 1);
          if (earlier === undefined) return undefined;
          memory = { ...memory, ...history.afterBase?.(earlier) } as Memory;
        }
        const { ordinal = -1 } = history.trace(record);
        if (ordinal < before) memory = { ...memory, ...history.usage.parse(record, memory).memory } as Memory;
        if (ordinal >= before - 1) return memory;
      }
    return undefined;
  }
}

function nameOf({ agent }: Source, file: string): string {
  return `${agent.type} ${file}`;
}
