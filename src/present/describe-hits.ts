import type { Mark } from "../domain/search/excerpt.ts";
import type { SessionRow } from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";
import { relativeTime, shortId } from "./format.ts";
import { goOn } from "./go-on.ts";
import type { Paint } from "./table.ts";
import { cut, printable, widthOf } from "./text.ts";

/** A place where a search found its words. */
export interface Hit {
  readonly session: SessionRow;
  readonly seq: number | null;
  readonly at: Instant;
  readonly role: string | null;
  readonly kind: string;
  readonly tool: string | null;
  readonly excerpt: string;
  readonly marks: readonly Mark[];
}

export interface Look {
  readonly width: number;
  readonly now: number;
  readonly paint: Paint;
}

const INDENT = "    ";

/** Hits for people: where it was said, the words around, and how to go on with that session. */
export function describeHits(hits: readonly Hit[], look: Look): string {
  return hits.map((hit) => describe(hit, look).join("\n")).join("\n");
}

function describe(hit: Hit, { width, now, paint }: Look): string[] {
  const { session } = hit;
  const id = shortId(session.id);
  const about = [session.name, session.agentName ?? session.agentType, relativeTime(hit.at, now), whoOf(hit)];
  const rest = about.filter((part) => part !== null).map(printable);
  const head = `${paint("bold", id)}  ${cut(rest.join("  "), width - widthOf(id) - 2)}`;
  const lines = wrapMarked(printableExcerpt(hit), width - INDENT.length, paint);
  return [
    head,
    ...[...lines, paint("cyan", goOn(session, hit.seq, id).command)].map((line) => INDENT + line),
  ];
}

function whoOf({ role, kind, tool }: Hit): string {
  return [role ?? kind, kind === "text" || role === null ? null : (tool ?? kind.replace("_", " "))]
    .filter((part) => part !== null)
    .join(", ");
}

type Marked = Pick<Hit, "excerpt" | "marks">;

/** With everything written out that would act on a terminal or hide something; the marks move with their words. */
export function printableExcerpt({ excerpt, marks }: Marked): Marked {
  let text = "";
  let done = 0;
  const moved = marks.map(([from, to]): Mark => {
    text += printable(excerpt.slice(done, from));
    const start = text.length;
    text += printable(excerpt.slice(from, to));
    done = to;
    return [start, text.length];
  });
  return { excerpt: text + printable(excerpt.slice(done)), marks: moved };
}

/** Broken between words. */
function wrapMarked({ excerpt, marks }: Marked, width: number, paint: Paint): string[] {
  const lines: [from: number, to: number][] = [];
  for (const { index, 0: word } of excerpt.matchAll(/\S+/g)) {
    const to = index + word.length;
    const line = lines.at(-1);
    if (line && widthOf(excerpt.slice(line[0], to)) <= width) line[1] = to;
    else lines.push([index, to]);
  }
  return lines.map(([from, to]) => paintMarks(excerpt, marks, from, to, paint));
}

function paintMarks(text: string, marks: readonly Mark[], from: number, to: number, paint: Paint): string {
  let line = "";
  let done = from;
  for (const mark of marks) {
    const [start, end] = [Math.max(mark[0], from), Math.min(mark[1], to)];
    if (start >= end) continue;
    line += text.slice(done, start) + paint("yellow", text.slice(start, end));
    done = end;
  }
  return line + text.slice(done, to);
}
