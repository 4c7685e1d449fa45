import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Conversation, readChat, readContents, readInput, readMessages } from "./conversation.ts";

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
  /** The names of the tools that it offers; one of a namespace is `SPACE.NAME`. */
  readonly tools: readonly string[];
  /** For a title or the like: no turn of the conversation. */
  readonly isAuxiliary: boolean;
  readonly isStreamed: boolean;
  /** All that it says, for what the programs add beside the conversation. */
  readonly body: string;
  outcome: "open" | "answered" | "refused" | "cut" | "abandoned";
}

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly Tool[];
  readonly messages?: Parameters<typeof readMessages>[0];
  readonly contents?: Parameters<typeof readContents>[0];
  readonly input?: readonly (Parameters<typeof readInput>[0][number] & {
    readonly tools?: readonly Tool[];
  })[];
}

/** One tool, or under one name several. */
interface Tool {
  readonly name?: string;
  /** In chat completions. */
  readonly function?: { readonly name: string };
  readonly tools?: readonly Tool[];
  readonly functionDeclarations?: readonly Tool[];
}

export async function recordRequest(request: IncomingMessage): Promise<RecordedRequest> {
  const text = await readText(request);
  const body = text === "" ? {} : (JSON.parse(text) as Body);
  const { headers } = request;
  const path = (request.url as string).split("?")[0] as string;
  const { prompts, round } = conversationOf(path, body);
  const tools = namesOf(toolsOf(body));
  const id =
    headers["thread-id"] ??
    headers["session-id"] ??
    headers["x-session-id"] ??
    headers["x-claude-code-session-id"];
  // Google names the model, and whether to stream, in the path.
  const [, inPath, way] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
  return {
    at: Date.now(),
    method: request.method as string,
    path,
    headers,
    conversationId: id === undefined ? undefined : String(id),
    model: body.model ?? inPath ?? "",
    prompts,
    round,
    prompt: prompts.at(-1) ?? "",
    tools,
    isAuxiliary: tools.length === 0 || isForTitle(headers),
    isStreamed: body.stream === true || way === "streamGenerateContent",
    body: text,
    outcome: "open",
  };
}

function conversationOf(path: string, { messages, contents, input }: Body): Conversation {
  if (contents) return readContents(contents);
  if (messages === undefined) return readInput(input ?? []);
  return path === "/v1/chat/completions" ? readChat(messages) : readMessages(messages);
}

/** Codex asks for a title in a conversation of its own, with tools and all. */
function isForTitle(headers: IncomingHttpHeaders): boolean {
  const told = JSON.parse(String(headers["x-codex-turn-metadata"] ?? "{}")) as { thread_source?: string };
  return told.thread_source === "thread_title";
}

/** Codex offers those of its newer models inside the conversation. */
function toolsOf({ tools, input }: Body): readonly Tool[] {
  return [...(tools ?? []), ...(input ?? []).flatMap((item) => item.tools ?? [])];
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.flatMap(({ name: own, function: called, tools, functionDeclarations }) => {
    const name = own ?? called?.name ?? "";
    const several = tools ?? functionDeclarations;
    if (!several) return name || [];
    return namesOf(several).map((inside) => (name === "" ? inside : `${name}.${inside}`));
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
