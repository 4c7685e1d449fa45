import type { JsonObject } from "../../domain/json.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import { idOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { blockText } from "./content.ts";
import { type AcpMemory, type Part, partOf } from "./memory.ts";

/** The memory is written again with each piece. A message of any length must not make that ever longer. */
const MOST_CHARS = 64 * 1024;

/** A piece of a message. The message becomes an entry when something else follows. */
export function parseChunk(
  kind: Part["kind"],
  { content, messageId }: JsonObject,
  memory: AcpMemory,
): Parsed<AcpMemory> {
  const text = blockText(content);
  const part = partOf(memory);
  const id = idOf(messageId);
  if (part !== null && part.kind === kind && part.messageId === id)
    return grown({ ...part, text: part.text + text });
  return behindPart(memory, { memory: { part: { kind, messageId: id, text } } });
}

/** A long message goes on in the next entry, behind a line where there is one. */
function grown(part: Part): Parsed<AcpMemory> {
  const { text } = part;
  if (text.length <= MOST_CHARS) return { memory: { part } };
  const end = text.lastIndexOf("\n") + 1 || text.length;
  const entries = partEntries({ ...part, text: text.slice(0, end) });
  return { entries, memory: { part: { ...part, text: text.slice(end) } } };
}

/** The message that was coming is whole, and stands before what is parsed here. */
export function behindPart(memory: AcpMemory, parsed: Parsed<AcpMemory>): Parsed<AcpMemory> {
  const part = partOf(memory);
  if (part === null) return parsed;
  const entries = [...partEntries(part), ...(parsed.entries ?? [])];
  return {
    ...parsed,
    ...(entries.length === 0 ? {} : { entries }),
    memory: { part: null, ...parsed.memory },
  };
}

function partEntries({ kind, text }: Part): NewEntry[] {
  const said = text.trim();
  return said === "" ? [] : [{ role: "assistant", kind, text: said, tool: null }];
}
