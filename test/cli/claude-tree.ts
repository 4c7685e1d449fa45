import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Records of Claude Code's transcripts by hand, with nothing but what a test means. */
export type Line = Readonly<Record<string, unknown>>;

const CWD = "/project";

/** Times are seconds of one day. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString();
}

interface Said {
  readonly session: string;
  readonly uuid: string;
  readonly at: number;
}

function record({ session, uuid, at: second }: Said, rest: Line): Line {
  const place = { sessionId: session, cwd: CWD, gitBranch: "main", version: "2.1.325", isSidechain: false };
  return { ...place, uuid, timestamp: at(second), ...rest };
}

export function prompt(said: Said, text: string): Line {
  return record(said, { type: "user", promptSource: "typed", message: { role: "user", content: text } });
}

export interface Tokens {
  readonly in: number;
  readonly out: number;
  readonly read?: number;
  readonly write?: number;
}

/** One block of an answer; blocks of one message have its id. */
export function answer(said: Said & { readonly message: string }, text: string, tokens: Tokens): Line {
  const usage = {
    input_tokens: tokens.in,
    output_tokens: tokens.out,
    cache_read_input_tokens: tokens.read ?? 0,
    cache_creation_input_tokens: tokens.write ?? 0,
  };
  const content = [{ type: "text", text }];
  const model = "claude-opus-4-5";
  const message = { id: said.message, role: "assistant", model, content, stop_reason: "end_turn", usage };
  return record(said, { type: "assistant", requestId: `req-${said.message}`, message });
}

/** The running totals that Claude Code writes when it leaves. */
export function costState(session: string, tokens: Tokens, usd: number): Line {
  const used = {
    inputTokens: tokens.in,
    outputTokens: tokens.out,
    cacheReadInputTokens: tokens.read ?? 0,
    cacheCreationInputTokens: tokens.write ?? 0,
    costUSD: usd,
  };
  return {
    type: "cost-state",
    sessionId: session,
    totalCostUSD: usd,
    modelUsage: { "claude-opus-4-5": used },
  };
}

/** A record that no fork repeats. */
export function queued(session: string, second: number): Line {
  return { type: "queue-operation", operation: "enqueue", timestamp: at(second), sessionId: session };
}

/** The same records in another session: what a fork begins with. */
export function copied(lines: readonly Line[], session: string): Line[] {
  return lines.filter(({ uuid }) => uuid !== undefined).map((line) => ({ ...line, sessionId: session }));
}

/** Each record goes on from the one before. The first begins the conversation, unless it continues what is in the file. */
export function textOf(
  lines: readonly Line[],
  { continues = false }: { readonly continues?: boolean } = {},
): string {
  let parent: { readonly parentUuid?: unknown } = continues ? {} : { parentUuid: null };
  return lines
    .map((line) => {
      const text = `${JSON.stringify(line.uuid === undefined ? line : { ...parent, ...line })}\n`;
      if (line.uuid !== undefined) parent = { parentUuid: line.uuid };
      return text;
    })
    .join("");
}

/** The folder of transcripts of a user. */
export class ClaudeTree {
  readonly root: string;

  constructor(home: string) {
    this.root = join(home, ".claude", "projects");
  }

  path(name: string): string {
    return join(this.root, "-project", name);
  }

  write(name: string, lines: readonly Line[] | string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof lines === "string" ? lines : textOf(lines));
    return path;
  }

  append(name: string, lines: readonly Line[] | string): void {
    appendFileSync(this.path(name), typeof lines === "string" ? lines : textOf(lines, { continues: true }));
  }
}
