import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Conversation, readInput, readMessages } from "./conversation.ts";

/** A request as it came, and how it went. */
export interface RecordedRequest extends Conversation {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The conversation that the program says it belongs to; undefined where it says none. */
  readonly conversationId: string | undefined;
  readonly model: string;
  /** The newest thing that a person typed. */
  readonly prompt: string;
  /** Without tools it is for a title or the like, never a turn. */
  readonly isAuxiliary: boolean;
  readonly isStreamed: boolean;
  outcome: "open" | "answered" | "refused" | "cut" | "abandoned";
}

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages?: Parameters<typeof readMessages>[0];
  readonly input?: Parameters<typeof readInput>[0];
}

export async function recordRequest(request: IncomingMessage): Promise<RecordedRequest> {
  const body = await readBody(request);
  const { prompts, round } = body.messages ? readMessages(body.messages) : readInput(body.input ?? []);
  const { headers } = request;
  const id = headers["thread-id"] ?? headers["session-id"] ?? headers["x-claude-code-session-id"];
  return {
    at: Date.now(),
    method: request.method as string,
    path: (request.url as string).split("?")[0] as string,
    headers,
    conversationId: id === undefined ? undefined : String(id),
    model: body.model ?? "",
    prompts,
    round,
    prompt: prompts.at(-1) ?? "",
    isAuxiliary: (body.tools ?? []).length === 0,
    isStreamed: body.stream === true,
    outcome: "open",
  };
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Body);
}
