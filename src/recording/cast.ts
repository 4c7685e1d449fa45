import type { Frame } from "./frames.ts";

/** The facts of an asciicast beside its frames. */
export interface CastFacts {
  readonly title: string;
  readonly command: string | null;
  /** When the command left, and with which status as a shell counts it; null where it has not, or nobody knows. */
  readonly exit: { readonly atMs: number; readonly status: number } | null;
}

/** The size of a new terminal until someone attaches. */
const FIRST_SIZE = "120x40";
/** Players may skip more silence than this. */
const IDLE_SECONDS = 2;

/** An asciicast (version 3), line by line. Times are relative: each line is valid whatever comes after it. */
export function* castLines(frames: Iterable<Frame>, facts: CastFacts): Iterable<string> {
  let lastMs: number | undefined;
  for (const { atMs, kind, text } of frames) {
    if (lastMs === undefined) {
      yield header(kind === "r" ? text : FIRST_SIZE, atMs, facts);
      lastMs = atMs;
      if (kind === "r") continue;
    }
    yield line(atMs - lastMs, kind, text);
    lastMs = atMs;
  }
  if (lastMs === undefined || facts.exit === null) return;
  yield line(Math.max(0, facts.exit.atMs - lastMs), "x", String(facts.exit.status));
}

function header(size: string, atMs: number, { title, command }: CastFacts): string {
  const [cols, rows] = size.split("x").map(Number);
  const said = {
    version: 3,
    term: { cols, rows, type: "xterm-256color" },
    timestamp: Math.floor(atMs / 1000),
    idle_time_limit: IDLE_SECONDS,
    ...(command === null ? {} : { command }),
    title,
  };
  return `${JSON.stringify(said)}\n`;
}

function line(ms: number, kind: string, text: string): string {
  return `${JSON.stringify([ms / 1000, kind, text])}\n`;
}
