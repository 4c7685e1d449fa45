import { plainText } from "../domain/plain-text.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import type { Entry } from "../domain/transcript/entry.ts";
import { toWire } from "../domain/wire.ts";
import type { Rollcall } from "./rollcall.ts";

/** Record, transcript and events in one JSON object, piece by piece. */
export async function* exportJson(rollcall: Rollcall, id: string): AsyncIterable<string> {
  yield `{\n"session": ${JSON.stringify(toWire(await rollcall.get(id)), null, 2)},\n"entries": [`;
  yield* listed(rollcall.entries(id));
  yield '],\n"events": [';
  yield* listed(rollcall.events(id));
  yield "]\n}\n";
}

/** The transcript as a person reads it. */
export async function* exportMarkdown(rollcall: Rollcall, id: string): AsyncIterable<string> {
  yield plainText(head(await rollcall.get(id)));
  for await (const entry of rollcall.entries(id)) yield plainText(describe(entry));
}

async function* listed(items: AsyncIterable<unknown>): AsyncIterable<string> {
  let separator = "\n";
  for await (const item of items) {
    yield separator + JSON.stringify(toWire(item));
    separator = ",\n";
  }
}

function head(session: SessionRecord): string {
  const { usage } = session;
  const facts: readonly (readonly [string, string | number | null])[] = [
    ["Agent", session.agentName ?? session.agentType],
    ["Model", session.model],
    ["Goal", session.goal],
    ["Task", session.taskId],
    ["State", session.state],
    ["Phase", session.phase],
    ["Outcome", session.outcome],
    ["Created", session.createdAt],
    ["Ended", session.finalizedAt ?? session.endedAt],
    ["Tokens", usage.tokensTotal],
    ["Cost (USD)", usage.costUsd],
    ["Summary", session.summary],
    ["Last error", session.lastError?.message ?? null],
  ];
  const lines = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `- ${name}: ${oneLine(String(value))}`);
  return `# ${oneLine(session.name ?? session.id)}\n\n- Id: \`${session.id}\`\n${lines.join("\n")}\n`;
}

function describe({ at, role, kind, text, tool, name }: Entry): string {
  const who = [name ?? role, kind === "text" ? "" : kind.replace("_", " ")].filter(Boolean).join(", ");
  const call = tool
    ? `\n${fence(JSON.stringify({ [tool.name]: tool.params ?? null, result: tool.result ?? null }, null, 2), "json")}`
    : "";
  const said = text === null || text === "" ? "" : `\n${kind === "text" ? text : fence(text, "")}\n`;
  return `\n## ${oneLine(who)} · ${at}\n${said}${call}`;
}

/** Longer than any fence inside. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
