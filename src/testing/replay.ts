import { readFileSync } from "node:fs";
import type { Notes, Seen } from "../agents/agent.ts";

/** What a parser makes of each line of a file, with what it noted of those before. */
export function replay(path: string, parse: (line: string, notes: Notes) => Seen, notes: Notes = {}): Seen[] {
  let noted = notes;
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const seen = parse(line, noted);
    noted = { ...noted, ...seen.notes };
    return seen;
  });
}

/** The signals among what was seen, each in one line. */
export function signalsOf(seen: readonly Seen[]): string[] {
  return seen.flatMap(({ signal }) => {
    if (!signal) return [];
    const turn = signal.says === "ready" ? (signal.turn ?? signal.inTurn) : undefined;
    const asked =
      signal.says === "asking" ? `${signal.asked.tool} ${JSON.stringify(signal.asked.input)}` : "";
    return [[signal.says, turn, asked].filter(Boolean).join(" ")];
  });
}

/** The entries among what was seen, each in one line. */
export function entriesOf(seen: readonly Seen[]): string[] {
  return seen
    .flatMap(({ entries = [] }) => entries)
    .map(({ role, kind, text, tool }) => {
      const what = text ?? `${tool?.name} ${JSON.stringify(tool?.params ?? tool?.result)}`;
      return `${role} ${kind}: ${what}`;
    });
}

/** Where turns begin and end by what was seen, each in one word or two. */
export function turnsOf(seen: readonly Seen[]): string[] {
  return seen.flatMap(({ turn }) => [
    ...(turn?.over ? [["over", turn.over.result, turn.over.why].filter(Boolean).join(" ")] : []),
    ...(turn?.isBegun ? ["begun"] : []),
  ]);
}
