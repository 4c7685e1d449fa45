import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Tokens of all requests of a tree. */
export interface Totals {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NOTHING: Totals = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export interface PlainTree {
  readonly totals: Totals;
  readonly bytes: number;
  readonly paths: readonly string[];
}

/** Transcripts of Claude Code without any trap: a prompt, then answers in two blocks, each with a large tool result. */
export function writePlainTree(
  root: string,
  { sessions, requests }: { readonly sessions: number; readonly requests: number },
): PlainTree {
  let [totals, bytes] = [NOTHING, 0];
  const paths: string[] = [];
  for (let no = 0; no < sessions; no++) {
    const path = join(root, "projects", `-work-${no % 20}`, `${idOf(no)}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    for (let start = 0; start < requests; start += 1000) {
      const part = partOf(no, start, Math.min(requests, start + 1000));
      appendFileSync(path, part.text);
      bytes += Buffer.byteLength(part.text);
      totals = addTotals(totals, part.totals);
    }
    paths.push(path);
  }
  return { totals, bytes, paths };
}

export function addTotals(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

function partOf(session: number, from: number, to: number): { text: string; totals: Totals } {
  const lines: string[] = [];
  let totals = NOTHING;
  for (let no = from; no < to; no++) {
    const one = requestOf(session, no);
    lines.push(...one.lines);
    totals = addTotals(totals, one.totals);
  }
  return { text: lines.map((line) => `${line}\n`).join(""), totals };
}

function requestOf(session: number, no: number): { lines: string[]; totals: Totals } {
  const place = session * 1_000_000 + no * 4;
  const totals = {
    requests: 1,
    input: no % 97,
    output: 5 + (no % 800),
    cacheRead: no * 3,
    cacheWrite: no % 5000,
  };
  const answer = (index: number, content: object, output: number) =>
    line(session, place + index, {
      type: "assistant",
      requestId: `req_${place}`,
      message: {
        id: `msg_${place}`,
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [content],
        stop_reason: "tool_use",
        usage: {
          input_tokens: totals.input,
          cache_creation_input_tokens: totals.cacheWrite,
          cache_read_input_tokens: totals.cacheRead,
          output_tokens: output,
        },
      },
    });
  const result = { tool_use_id: `toolu_${place}`, type: "tool_result", content: WORDS.repeat(40) };
  const lines = [
    line(session, place, {
      type: "user",
      promptSource: "typed",
      message: { role: "user", content: "Go on." },
    }),
    answer(1, { type: "text", text: WORDS.repeat(4) }, 3),
    answer(
      2,
      { type: "tool_use", id: `toolu_${place}`, name: "Bash", input: { command: "make" } },
      totals.output,
    ),
    line(session, place + 3, { type: "user", message: { role: "user", content: [result] } }),
  ];
  return { lines: no % 10 === 0 ? lines : lines.slice(1), totals };
}

const WORDS = 'The build failed in "parser.ts" at line 12: expected a brace, found a name.\\n';

function line(session: number, place: number, more: object): string {
  return JSON.stringify({
    parentUuid: uuidOf(place - 1),
    isSidechain: false,
    userType: "external",
    cwd: `/work/${session % 20}`,
    sessionId: idOf(session),
    version: "2.1.325",
    gitBranch: "main",
    ...more,
    uuid: uuidOf(place),
    timestamp: new Date(Date.UTC(2026, 5, 1) + (place % 1_000_000) * 1000).toISOString(),
  });
}

function idOf(session: number): string {
  return `00000000-0000-4000-8000-${String(session).padStart(12, "0")}`;
}

function uuidOf(place: number): string {
  return `10000000-0000-4000-8000-${String(Math.max(0, place)).padStart(12, "0")}`;
}
