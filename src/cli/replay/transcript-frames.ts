import { plainText } from "../../domain/plain-text.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import { printableLines } from "../../present/text.ts";
import type { Frame } from "../../recording/frames.ts";

/** A tool may have printed megabytes; a replay shows how they began. */
const MOST_CHARS = 4000;

/** A transcript as a terminal would show it while it is written, for a session without a terminal of its own. */
export async function transcriptFrames(
  entries: AsyncIterable<Entry>,
  size: { readonly cols: number; readonly rows: number },
): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const entry of entries) {
    const atMs = Date.parse(entry.at);
    if (frames.length === 0) frames.push({ atMs, kind: "r", text: `${size.cols}x${size.rows}` });
    frames.push({ atMs, kind: "o", text: textOf(entry).replaceAll("\n", "\r\n") });
  }
  return frames;
}

function textOf({ role, kind, text, tool, name }: Entry): string {
  const who = [name ?? role, kind === "text" ? null : kind.replace("_", " "), tool?.name]
    .filter((part) => part !== null && part !== undefined)
    .join(", ");
  const said = [text, json(tool?.params), json(tool?.result)].filter((part) => part).join("\n");
  const shown = said.length > MOST_CHARS ? `${said.slice(0, MOST_CHARS)}…` : said;
  return `\u001b[1m${safe(who)}\u001b[0m\n${safe(shown)}\n\n`;
}

function safe(text: string): string {
  return printableLines(plainText(text));
}

function json(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}
