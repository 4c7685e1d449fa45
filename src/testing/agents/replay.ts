import { readFileSync } from "node:fs";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { JsonObject } from "../../domain/json.ts";

/** Parses each line of a file, with the memory that the lines before it left. */
export function replay<M extends Memory>(
  path: string,
  parse: (line: string, memory: M) => Parsed<M>,
  memory: NoInfer<M> = {} as M,
): Parsed<M>[] {
  let remembered = memory;
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const parsed = parse(line, remembered);
    remembered = { ...remembered, ...parsed.memory };
    return parsed;
  });
}

/** The signals among the results, each in one line. */
export function signalsOf(results: readonly Pick<Parsed, "signal">[]): string[] {
  return results.flatMap(({ signal }) => {
    if (!signal) return [];
    const turn = signal.says === "ready" ? (signal.turn ?? signal.inTurn) : undefined;
    const asked =
      signal.says === "asking" ? `${signal.asked.tool} ${JSON.stringify(signal.asked.input)}` : "";
    return [[signal.says, turn, asked].filter(Boolean).join(" ")];
  });
}

/** The entries among the results, each in one line. */
export function entriesOf(results: readonly Pick<Parsed, "entries">[]): string[] {
  return results
    .flatMap(({ entries = [] }) => entries)
    .map(({ role, kind, text, tool }) => {
      const what = text ?? `${tool?.name} ${JSON.stringify(tool?.params ?? tool?.result)}`;
      return `${role} ${kind}: ${what}`;
    });
}

/** The beginnings and ends of turns among the results, each in one word or two. */
export function turnsOf(results: readonly Pick<Parsed, "turn">[]): string[] {
  return results.flatMap(({ turn }) => [
    ...(turn?.over ? [["over", turn.over.result, turn.over.why].filter(Boolean).join(" ")] : []),
    ...(turn?.isBegun ? ["begun"] : []),
  ]);
}

/** The request that a result asks for, without the fields that are not known; null where it asks for nothing. */
export function askedFields({ signal }: Pick<Parsed, "signal">): {
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly question?: string;
} | null {
  if (signal?.says !== "asking") return null;
  const { tool, input, question } = signal.asked;
  return JSON.parse(JSON.stringify({ tool: tool ?? undefined, input: input ?? undefined, question }));
}
