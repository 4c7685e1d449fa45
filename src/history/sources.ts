import { basename, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { History, HistoryPlace, HistoryReaderName } from "../agents/history.ts";
import { agentsWithHistory } from "../agents/registry.ts";
import { RollcallError } from "../domain/errors.ts";
import type { ImportRoots } from "../home/import-roots.ts";
import { jsonReader } from "./readers/json-reader.ts";
import { below, jsonlReader } from "./readers/jsonl-reader.ts";
import type { FoundSource, HistoryReader } from "./readers/reader.ts";
import { sqliteReader } from "./readers/sqlite-reader.ts";
import type { ImportOptions } from "./report.ts";

/** One history on disk, and whose it is by its place. */
export interface Source extends FoundSource {
  readonly root: string;
  readonly agent: Agent;
  readonly history: History;
  readonly reader: HistoryReader;
  readonly place: HistoryPlace;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds all histories, by looking at folders alone. Where two roots hold the same file, the first one counts. */
export function findSources(
  env: Environment,
  options: Pick<ImportOptions, "from" | "path" | "roots">,
): Source[] {
  const sources: Source[] = [];
  const roots = options.roots ?? importRootsOf(env, options);
  for (const { agent, history } of agentsFrom(options.from)) {
    const reader = READERS[history.reader](history);
    const known = new Set<string>();
    for (const root of roots[agent.type] ?? [])
      for (const found of reader.find(root)) {
        const path = below(root, found.source);
        const place = history.placeOf(path);
        const name = history.isNamedOnce ? basename(path) : path;
        if (place === undefined || known.has(name)) continue;
        known.add(name);
        sources.push({ ...found, root, agent, history, reader, place });
      }
  }
  return sources;
}

/** The folders or files that an import looks at, by agent type. */
export function importRootsOf(
  env: Environment,
  { from, path }: Pick<ImportOptions, "from" | "path">,
): ImportRoots {
  const roots = (history: History) => (path === undefined ? history.roots(env) : [resolve(path)]);
  return Object.fromEntries(agentsFrom(from).map(({ agent, history }) => [agent.type, roots(history)]));
}

/** A file that is known by its name alone keeps the path that it was first read at, wherever it lies now. */
export function withKnownNames(sources: readonly Source[], known: readonly string[]): Source[] {
  if (!sources.some(({ history }) => history.isNamedOnce)) return [...sources];
  const paths = new Set(known);
  const byName = new Map(known.map((path) => [basename(path), path]));
  return sources.map((found) => {
    const earlier = found.history.isNamedOnce ? byName.get(basename(found.source)) : undefined;
    return earlier === undefined || paths.has(found.source) ? found : { ...found, source: earlier };
  });
}

function agentsFrom(type: ImportOptions["from"]): { readonly agent: Agent; readonly history: History }[] {
  const all = agentsWithHistory().flatMap((agent) =>
    agent.history ? [{ agent, history: agent.history }] : [],
  );
  const chosen = all.filter(({ agent }) => type === undefined || agent.type === type);
  if (chosen.length > 0) return chosen;
  throw new RollcallError("bad_input", `Rollcall cannot import the history of ${type}.`, {
    hint: `Valid: ${all.map(({ agent }) => agent.type).join(", ")}.`,
  });
}

const READERS: Readonly<Record<HistoryReaderName, (history: History) => HistoryReader>> = {
  jsonl: () => jsonlReader,
  json: () => jsonReader,
  sqlite: (history) => sqliteReader(history),
};
