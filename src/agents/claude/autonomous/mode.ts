import type { JsonObject } from "../../../domain/json.ts";
import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { Parsed } from "../../parsed.ts";
import { planClaude } from "../launch.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseSessionStart } from "../session-start.ts";
import { parseTranscript } from "../transcript/transcript.ts";
import { controls } from "./controls.ts";
import { initializeLine } from "./protocol.ts";
import { parseStream } from "./stream.ts";

/** Lines of JSON both ways, in which Claude Code asks for each permission. */
const STREAMING = [
  ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
  ...["--permission-prompt-tool", "stdio"],
  // It repeats each line that it is given, which confirms an answer.
  "--replay-user-messages",
];

/** Claude Code on pipes, in its two-way stream. */
export const autonomous: Mode<ClaudeMemory> = {
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  plan: (request) => ({
    ...planClaude(request, { options: STREAMING, events: ["SessionStart"] }),
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
    opening: `${JSON.stringify(initializeLine())}\n`,
  }),
  trust: ["stream"],
  sources: {
    stream: { parse: parseStream },
    hook: { parse: parseHook },
    transcript: { parse: parseTranscript },
  },
  controls,
};

/** The stream has all requests: a hook only says where the transcript is. */
function parseHook(event: string, payload: JsonObject): Parsed<ClaudeMemory> {
  return event === "SessionStart" ? parseSessionStart(payload) : {};
}
