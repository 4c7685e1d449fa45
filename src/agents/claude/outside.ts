import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Kind } from "../../domain/session/session.ts";
import type { Outside, OutsideIdentity } from "../agent.ts";
import { parseHook } from "./interactive/hook.ts";
import { isRunByProgram, parseLiveFile } from "./interactive/live-file.ts";
import type { ClaudeMemory } from "./memory.ts";
import { configFolder, transcriptPath } from "./paths.ts";
import { parseTranscript } from "./transcript/transcript.ts";
import { turnAtRest } from "./transcript/turns.ts";

const TRANSCRIPT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Sessions of Claude Code that someone started by hand: each has a live file, and a transcript from its first prompt. */
export const outside: Outside<ClaudeMemory> = {
  // Nobody saw it load, so that the first `idle` in its live file counts.
  memory: { fileStatus: "unseen" },
  sources: {
    file: { parse: parseLiveFile },
    hook: { parse: parseHook },
    transcript: { parse: parseTranscript },
  },
  trust: ["file", "hook"],
  turnAtRest,
  places(env) {
    const config = configFolder(env);
    return { liveFiles: `${config}/sessions`, transcripts: `${config}/projects` };
  },
  transcriptOf: (env, { nativeId, cwd }) =>
    cwd === null ? undefined : transcriptPath(configFolder(env), cwd, nativeId),
  ofFile: (content) => {
    const pid = typeof content.pid === "number" ? content.pid : null;
    const identity = pid === null ? undefined : identityOf(content.sessionId, content, pid);
    const { procStart } = content;
    return identity && (typeof procStart === "string" ? { ...identity, startTime: procStart } : identity);
  },
  ofTranscript(name, line) {
    const nativeId = TRANSCRIPT.exec(name)?.[1];
    const content = nativeId === undefined ? undefined : readJsonObject(line);
    // The first lines of a file may have nothing but a text that was typed.
    return content && typeof content.cwd === "string" ? identityOf(nativeId, content, null) : undefined;
  },
  ofHook(payload) {
    const identity = identityOf(payload.session_id, payload, null);
    const { transcript_path: transcript } = payload;
    return identity && (typeof transcript === "string" ? { ...identity, transcript } : identity);
  },
};

function identityOf(nativeId: unknown, content: JsonObject, pid: number | null): OutsideIdentity | undefined {
  if (typeof nativeId !== "string" || nativeId === "") return undefined;
  const cwd = typeof content.cwd === "string" ? content.cwd : null;
  return { nativeId, kind: kindOf(content), cwd, pid };
}

export function kindOf({ entrypoint }: JsonObject): Kind {
  return isRunByProgram(entrypoint) ? "autonomous" : "interactive";
}
