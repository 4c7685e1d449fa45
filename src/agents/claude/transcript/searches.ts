import type { JsonObject } from "../../../domain/json.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { countOf, MOST_OPEN, objectOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { blocksOf } from "../content.ts";
import type { ClaudeMemory } from "../memory.ts";

const SEARCH_TOOL = "WebSearch";

/**
 * Adds the web searches that a request is billed for where only the result of its tool counts them: the request is then
 * reported once more.
 */
export function withSearches(
  parsed: Parsed<ClaudeMemory>,
  line: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const [request] = parsed.usage ?? [];
  if (request !== undefined) return remember(parsed, line, { request: greatest(request, memory), memory });
  const count = countOf(objectOf(line.toolUseResult).searchCount);
  const known = searchesOf(memory);
  const searched = known.find(([call]) => isResultOf(line, call))?.[1];
  if (!count || searched === undefined) return parsed;
  const usage = { ...searched, webSearches: (searched.webSearches ?? 0) + count };
  const searching = known
    .filter(([call]) => !isResultOf(line, call))
    .map(([call, other]) => [call, other.requestKey === usage.requestKey ? usage : other]);
  return {
    ...parsed,
    usage: [usage],
    memory: { ...parsed.memory, searching: Object.fromEntries(searching) },
  };
}

/** Requests that count their searches themselves are complete. */
function remember(
  parsed: Parsed<ClaudeMemory>,
  { message }: JsonObject,
  { request, memory }: { readonly request: UsageEntry; readonly memory: ClaudeMemory },
): Parsed<ClaudeMemory> {
  const calls = blocksOf(objectOf(message).content).flatMap(({ type, name, id }) =>
    type === "tool_use" && name === SEARCH_TOOL && typeof id === "string" && !request.webSearches ? [id] : [],
  );
  // Nearly no answer searches, and each block of every answer comes by here.
  if (calls.length === 0 && memory.searching === undefined)
    return { ...parsed, memory: { ...parsed.memory, request } };
  const known = searchesOf(memory).map(([call, other]) => [
    call,
    other.requestKey === request.requestKey ? request : other,
  ]);
  const open = [...known, ...calls.map((call) => [call, request])];
  const searching = Object.fromEntries(open.slice(-MOST_OPEN));
  return { ...parsed, memory: { ...parsed.memory, request, searching } };
}

/** Memory is read back from the store: a value that is no request is passed over. */
function searchesOf({ searching }: ClaudeMemory): [string, UsageEntry][] {
  return Object.entries(searching ?? {}).filter(([, request]) => typeof request?.requestKey === "string");
}

/** Any block of an answer may have its final output. */
function greatest(request: UsageEntry, { request: earlier }: ClaudeMemory): UsageEntry {
  const isSame = earlier?.requestKey === request.requestKey;
  return isSame && (earlier.tokensOutput ?? 0) > (request.tokensOutput ?? 0) ? earlier : request;
}

function isResultOf({ message }: JsonObject, call: string): boolean {
  return blocksOf(objectOf(message).content).some(({ tool_use_id: id }) => id === call);
}
