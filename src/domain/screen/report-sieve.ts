/** An agent's report of its own state: `\x1b]7501;` and fields, to a BEL or ST. */
const INTRODUCER = Buffer.from("\x1b]7501;");
/** One that has no end by then will not have one. */
const LONGEST = 64 * 1024;
const [BEL, CAN, SUB, ESC, BACKSLASH] = [0x07, 0x18, 0x1a, 0x1b, 0x5c];

/** A piece of output, with its place: text as it came, or a report, whose place is behind it. */
export type Sifted =
  | { readonly kind: "text"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "report"; readonly end: number; readonly text: string };

/**
 * Takes the reports out of an agent's output, wherever chunks cut them: they are in base64, in which no secret is found.
 * Holds back only what could still become one.
 */
export class ReportSieve {
  #held: Buffer = Buffer.alloc(0);
  #at: number;

  /** `at` is the offset of the first byte to come. */
  constructor(at: number) {
    this.#at = at;
  }

  /** Up to where everything was given out. */
  get at(): number {
    return this.#at;
  }

  /** The text is a view of the bytes; none is kept. */
  push(bytes: Buffer): Sifted[] {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const { found, open } = scan(all);
    const sifted: Sifted[] = [];
    let done = 0;
    for (const { start, end, text } of [...found, { start: open, end: open, text: null }]) {
      const before = all.subarray(done, start);
      if (before.length > 0) sifted.push({ kind: "text", at: this.#at + done, bytes: before });
      if (text !== null) sifted.push({ kind: "report", end: this.#at + end, text });
      done = end;
    }
    this.#held = Buffer.from(all.subarray(open));
    this.#at += open;
    return sifted;
  }

  /** The output is over, or goes on at another place: what was held back is text, unless it was clearly a report. */
  end(at?: number): Sifted[] {
    const [bytes, start] = [this.#held, this.#at];
    this.#held = Buffer.alloc(0);
    this.#at = at ?? start + bytes.length;
    const isText = bytes.length > 0 && bytes.length < INTRODUCER.length;
    return isText ? [{ kind: "text", at: start, bytes }] : [];
  }
}

/** The keys and values of a report, as the agent sent them. */
export function reportFields(text: string): Record<string, string> {
  const fields = text.split(":").filter((field) => field !== "");
  return Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf("=");
      return at < 0 ? [field, ""] : [field.slice(0, at), field.slice(at + 1)];
    }),
  );
}

interface Found {
  readonly start: number;
  readonly end: number;
  /** Null for a query, and for a report that was broken off. */
  readonly text: string | null;
}

/** All that are whole, and where one may begin that is not. */
function scan(bytes: Buffer): { readonly found: readonly Found[]; readonly open: number } {
  const found: Found[] = [];
  for (let at = bytes.indexOf(ESC); at >= 0; ) {
    const report = reportAt(bytes, at);
    if (report === "open") return { found, open: at };
    if (report) found.push(report);
    at = bytes.indexOf(ESC, report?.end ?? at + 1);
  }
  return { found, open: bytes.length };
}

function reportAt(bytes: Buffer, start: number): Found | "open" | undefined {
  const head = bytes.subarray(start, start + INTRODUCER.length);
  if (!INTRODUCER.subarray(0, head.length).equals(head)) return undefined;
  const textStart = start + INTRODUCER.length;
  for (let at = textStart; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BEL) return { start, end: at + 1, text: textOf(bytes, textStart, at) };
    if (byte === CAN || byte === SUB) return { start, end: at + 1, text: null };
    if (byte !== ESC) continue;
    if (at + 1 === bytes.length) return "open";
    const isEnd = bytes[at + 1] === BACKSLASH;
    return isEnd
      ? { start, end: at + 2, text: textOf(bytes, textStart, at) }
      : { start, end: at, text: null };
  }
  return bytes.length - start > LONGEST ? { start, end: bytes.length, text: null } : "open";
}

function textOf(bytes: Buffer, start: number, end: number): string | null {
  const text = bytes.toString("utf8", start, end);
  return text === "?" ? null : text;
}
