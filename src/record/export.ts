import type { Json } from "../domain/json.ts";
import { plainText } from "../domain/plain-text.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import type { Entry } from "../domain/transcript/entry.ts";
import { toWire } from "../domain/wire.ts";
import type { EntryQuery } from "../store/store.ts";
import type { Rollcall } from "./rollcall.ts";

export type ExportChoice = Pick<EntryQuery, "withRewound">;

/** Record, transcript and events in one JSON object, piece by piece. */
export async function* exportJson(rollcall: Rollcall, id: string): AsyncIterable<string> {
  yield `{\n"session": ${JSON.stringify(toWire(await rollcall.get(id)), null, 2)},\n"entries": [`;
  yield* listed(rollcall.entries(id, { withRewound: true }));
  yield '],\n"events": [';
  yield* listed(rollcall.events(id));
  yield '],\n"unknown_records": [';
  yield* unknownRecords(rollcall, id);
  yield "]\n}\n";
}

/** The transcript as a person reads it. */
export async function* exportMarkdown(
  rollcall: Rollcall,
  id: string,
  choice: ExportChoice,
): AsyncIterable<string> {
  yield plainText(head(await rollcall.get(id)));
  for await (const entry of rollcall.entries(id, choice)) yield plainText(describe(entry));
}

/** Records of unknown types: each as it is, or the beginning of a long one as a text. */
async function* unknownRecords({ context }: Rollcall, id: string): AsyncIterable<string> {
  let separator = "\n";
  for (let after = 0; ; ) {
    const page = await context.store.unknownRecords(id, { after });
    for (const { key, type, text, isWhole } of page) {
      const record = isWhole ? `"record":${text}` : `"beginning":${JSON.stringify(text)}`;
      yield `${separator}{"key":${JSON.stringify(key)},"type":${JSON.stringify(type)},${record}}`;
      separator = ",\n";
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.no;
  }
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
    ["Cost (USD)", usage.partial && usage.costUsd !== null ? `≥${usage.costUsd}` : usage.costUsd],
    ["Summary", session.summary],
    ["Last error", session.lastError?.message ?? null],
  ];
  const lines = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `- ${name}: ${oneLine(String(value))}`);
  return `# ${oneLine(session.name ?? session.id)}\n\n- Id: \`${session.id}\`\n${lines.join("\n")}\n`;
}

function describe({ at, role, kind, text, tool, name, isRewound }: Entry): string {
  const what = kind === "text" ? "" : kind.replace("_", " ");
  const who = [name ?? role, what, isRewound ? "taken back" : ""].filter(Boolean).join(", ");
  const title = tool ? `${who}: ${tool.name}` : who;
  const said = text === null || text === "" ? "" : `\n${kind === "text" ? text : fence(text, "")}\n`;
  return `\n## ${oneLine(title)} · ${at}\n${said}${fenced(tool?.params)}${fenced(tool?.result)}`;
}

/** Output of a tool stays in its own lines. */
function fenced(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return `\n${typeof value === "string" ? fence(value, "") : fence(JSON.stringify(value, null, 2), "json")}`;
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
