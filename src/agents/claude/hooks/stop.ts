import type { StopInput, StopReport } from "../../../domain/delegation.ts";
import { nonEmptyText, readJsonObject } from "../../../domain/json.ts";
import type { HookCodec } from "../../hooks.ts";

const LONGEST_SUMMARY = 4000;
const TRANSCRIPT = /\.jsonl$/;

/** SubagentStop, after each turn of a sub-agent. It knows no exit code, and nothing that is answered would be of use. */
export const stop: HookCodec<StopInput, StopReport> = {
  // The tool use id stands in this file from the start on; the transcript may not be there yet (Claude Code 2.1.325).
  file(payload) {
    const transcript = nonEmptyText(payload.agent_transcript_path);
    return transcript !== null && TRANSCRIPT.test(transcript)
      ? transcript.replace(TRANSCRIPT, ".meta.json")
      : undefined;
  },
  parse: (payload, fileText) => ({
    agentId: nonEmptyText(payload.agent_id),
    isClean: true,
    summary: nonEmptyText(payload.last_assistant_message)?.slice(0, LONGEST_SUMMARY).toWellFormed() ?? null,
    subagent: {
      agentType: "claude",
      agentName: nonEmptyText(payload.agent_type),
      taskId: fileText === null ? null : nonEmptyText(readJsonObject(fileText)?.toolUseId),
    },
  }),
  encode: () => ({}),
  fail: () => ({}),
};
