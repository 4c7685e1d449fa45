import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Redactor } from "../domain/redact/redact.ts";
import { replaceFile } from "../machine/replace-file.ts";
import { eventsIn, generationsOf, type RecordedEvent, segmentNames } from "./recording-segments.ts";

interface Line {
  readonly text: string;
  /** Undefined for a line that is none of an event; it is redacted as plain text. */
  readonly event: RecordedEvent | undefined;
}

interface Segment {
  readonly path: string;
  readonly lines: readonly Line[];
}

/**
 * Takes secrets out of the recording of a session that has ended, also where one goes over the border of two writes.
 * Says how many there were. Each file is replaced whole or not at all.
 */
export function redactRecording(
  folder: string,
  redactor: Redactor,
  { isDry }: { readonly isDry: boolean },
): number {
  return generationsOf(folder)
    .map((generation) => redactGeneration(folder, generation, redactor, isDry))
    .reduce((sum, found) => sum + found, 0);
}

function redactGeneration(folder: string, generation: number, redactor: Redactor, isDry: boolean): number {
  const names = segmentNames(folder).filter((name) => name.startsWith(`${generation}-`));
  const segments = names.map((name) => readSegment(join(folder, name)));
  const lines = segments.flatMap((segment) => segment.lines);
  const output = lines.map(({ event }) => (event?.[1] === "o" ? event[2] : ""));
  const shown = redactPieces(output, redactor);
  let found = shown.found;
  const texts = new Map<Line, string>();
  for (const [index, line] of lines.entries()) {
    const redacted = redactLine(line, shown.pieces[index] ?? "", redactor);
    if (redacted === line.text) continue;
    texts.set(line, redacted);
    if (line.event?.[1] !== "o") found += 1;
  }
  if (isDry) return found;
  for (const segment of segments) {
    if (!segment.lines.some((line) => texts.has(line))) continue;
    replaceFile(segment.path, segment.lines.map((line) => texts.get(line) ?? line.text).join("\n"), 0o600);
  }
  return found;
}

function readSegment(path: string): Segment {
  const texts = readFileSync(path, "utf8").split("\n");
  return { path, lines: texts.map((text) => ({ text, event: eventsIn(text)[0] })) };
}

function redactLine({ text, event }: Line, piece: string, redactor: Redactor): string {
  if (event === undefined) return redactor.text(text);
  const [seconds, kind, said, ...rest] = event;
  const redacted = kind === "o" ? piece : redactor.text(said);
  return redacted === said ? text : JSON.stringify([seconds, kind, redacted, ...rest]);
}

/** Redacts pieces as the one text that they are; what stands for a secret comes where it began. */
function redactPieces(
  pieces: readonly string[],
  redactor: Redactor,
): { readonly pieces: readonly string[]; readonly found: number } {
  const whole = pieces.join("");
  const secrets = redactor.find(whole);
  let start = 0;
  let next = 0;
  const redacted = pieces.map((piece) => {
    const end = start + piece.length;
    let result = "";
    let done = start;
    for (; next < secrets.length; next++) {
      const secret = secrets[next];
      if (!secret || secret.start >= end) break;
      if (secret.start >= start) result += `${whole.slice(done, secret.start)}[REDACTED:${secret.kind}]`;
      done = Math.min(secret.end, end);
      if (secret.end > end) break;
    }
    result += whole.slice(done, end);
    start = end;
    return result;
  });
  return { pieces: redacted, found: secrets.length };
}
