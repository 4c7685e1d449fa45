import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import { isJsonObject, type Json } from "../../domain/json.ts";

const AGENTS = join(import.meta.dirname, "..", "..", "agents");

/** A line that a real release wrote, with the memory that the lines before it leave. */
export interface SampleLine {
  readonly line: string;
  readonly memory: Memory;
}

type Parse = (line: string, memory: Memory) => Parsed;

/** The lines of all recorded files of an agent. */
export function sampleLines(agent: string, parse: Parse): SampleLine[] {
  const folder = join(AGENTS, agent, "samples");
  return readdirSync(folder).flatMap((file) => {
    let memory: Memory = {};
    const lines = readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
    return lines.map((line) => {
      const sample = { line, memory };
      memory = { ...memory, ...parse(line, memory).memory } as Memory;
      return sample;
    });
  });
}

/** The value with another one in its n-th place, counted through all of its parts. */
export function replacePart(value: Json, place: number, other: Json): Json {
  let left = place % Math.max(1, JSON.stringify(value).split(/[:,]/).length);
  const walk = (at: Json): Json => {
    if (left-- === 0) return other;
    if (Array.isArray(at)) return at.map(walk);
    return isJsonObject(at) ? Object.fromEntries(Object.entries(at).map(([k, v]) => [k, walk(v)])) : at;
  };
  return walk(value);
}
