import { MODEL_KEY, type ModelServer } from "./server.ts";

/** What tests of the server say to it, as the programs would. */
export interface Question {
  readonly prompt: string;
  readonly key?: string;
  readonly stream?: boolean;
  /** Tool results came back this many times. */
  readonly rounds?: number;
  readonly tools?: readonly object[];
  /** What Codex puts before the prompt. */
  readonly input?: readonly object[];
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

const TOOLS = [{ name: "Bash" }];

export function askMessages(server: ModelServer, question: Question): Promise<Response> {
  const results = Array.from({ length: question.rounds ?? 0 }, () => [
    { role: "assistant", content: [{ type: "tool_use", id: "t" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] },
  ]);
  const messages = [{ role: "user", content: question.prompt }, ...results.flat()];
  return post(`${server.url}/v1/messages`, question, { messages });
}

export function askResponses(server: ModelServer, question: Question): Promise<Response> {
  const content = [{ type: "input_text", text: question.prompt }];
  const results = Array.from({ length: question.rounds ?? 0 }, () => [
    { type: "function_call" },
    { type: "function_call_output" },
  ]);
  const input = [...(question.input ?? []), { type: "message", role: "user", content }, ...results.flat()];
  return post(`${server.url}/v1/responses`, question, { input });
}

export function askContent(server: ModelServer, question: Question): Promise<Response> {
  const results = Array.from({ length: question.rounds ?? 0 }, () => [
    { role: "model", parts: [{ functionCall: { name: "f" } }] },
    { role: "user", parts: [{ functionResponse: { name: "f" } }] },
  ]);
  const contents = [{ role: "user", parts: [{ text: question.prompt }] }, ...results.flat()];
  const { tools = TOOLS, stream = true } = question;
  const way = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const offered = tools.length === 0 ? [] : [{ functionDeclarations: tools }];
  return post(`${server.url}/v1beta/models/m:${way}`, question, { contents, tools: offered });
}

export function askChat(server: ModelServer, question: Question): Promise<Response> {
  const results = Array.from({ length: question.rounds ?? 0 }, () => [
    { role: "assistant", content: "", tool_calls: [{ id: "t" }] },
    { role: "tool", tool_call_id: "t", content: "result" },
  ]);
  const messages = [
    { role: "system", content: "s" },
    { role: "user", content: question.prompt },
    ...results.flat(),
  ];
  const tools = [{ type: "function", function: { name: "bash" } }];
  return post(`${server.url}/v1/chat/completions`, { tools, ...question }, { messages });
}

/** The events of a stream. */
export async function eventsOf(
  response: Response,
): Promise<{ readonly type: string; readonly [key: string]: unknown }[]> {
  const text = await response.text();
  return [...text.matchAll(/^data: (\{.+)$/gm)].map((match) => JSON.parse(match[1] as string));
}

function post(url: string, question: Question, body: object): Promise<Response> {
  const { key = MODEL_KEY, stream = true, tools = TOOLS, signal, headers } = question;
  return fetch(url, {
    method: "POST",
    headers: { "x-api-key": key, "x-claude-code-session-id": "conversation-1", ...headers },
    body: JSON.stringify({ model: "m", stream, tools, ...body }),
    ...(signal ? { signal } : {}),
  });
}
