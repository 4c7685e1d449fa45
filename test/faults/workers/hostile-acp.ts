// An agent over the Agent Client Protocol that misbehaves: `node hostile-acp.ts HOW`.
import { createInterface } from "node:readline";

const how = process.argv[2] ?? "";
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (fields: object) =>
  send({ method: "session/update", params: { sessionId: "s1", update: fields } });

const MISDEEDS: Readonly<Record<string, () => void>> = {
  pieces: () =>
    times(20_000, () => update({ sessionUpdate: "agent_message_chunk", content: text("piece ") })),
  calls: () => times(300, (n) => update({ ...call(n), status: "in_progress" })),
  requests: () =>
    times(2000, (id) => send({ id, method: "fs/read_text_file", params: { path: "/etc/passwd" } })),
  "long line": () => process.stdout.write(`${"x".repeat(17 * 1024 * 1024)}\n`),
  "deep JSON": () =>
    process.stdout.write(
      `{"method":"session/update","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`,
    ),
  "deep parameters": () =>
    process.stdout.write(
      `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":${'{"a":'.repeat(100_000)}1${"}".repeat(100_003)}\n`,
    ),
  "no JSON": () => process.stdout.write('\u00ff{{{\n[1]\n"x"\nnull\n{"id":{},"method":5}\n{"params":[]}\n'),
  "wrong ids": () => {
    for (const id of ["open", "prompt-9", "initialize", 7, null]) send({ id, result: { sessionId: "s2" } });
  },
};

createInterface({ input: process.stdin })
  .on("line", (line) => answer(JSON.parse(line) as { id?: string; method?: string }))
  .on("close", () => process.exit(0));

function answer({ id, method }: { id?: string; method?: string }): void {
  if (method === "initialize" && how !== "no answer")
    send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") send({ id, result: { sessionId: "s1" } });
  if (method !== "session/prompt") return;
  MISDEEDS[how]?.();
  send({ id, result: { stopReason: "end_turn" } });
}

function times(count: number, work: (n: number) => void): void {
  for (let n = 0; n < count; n += 1) work(n);
}

function text(content: string) {
  return { type: "text", text: content };
}

function call(n: number) {
  return { sessionUpdate: "tool_call", toolCallId: `c${n}`, title: "t", rawInput: { n } };
}
