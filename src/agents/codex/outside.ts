import { isJsonObject, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Outside } from "../agent.ts";

const TRANSCRIPT = /^rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Sessions of Codex that someone started by hand: nothing tells of one but its rollout, from its first prompt on. */
export const outside: Outside = {
  places(env) {
    const home = env.CODEX_HOME || `${env.HOME ?? ""}/.codex`;
    return { liveFiles: null, transcripts: `${home}/sessions` };
  },
  ofTranscript(name, line) {
    const nativeId = TRANSCRIPT.exec(name)?.[1];
    const meta = nativeId === undefined ? undefined : metaIn(line);
    // A rollout of its own helpers is part of the session that they help.
    if (nativeId === undefined || !meta || (meta.thread_source ?? "user") !== "user") return undefined;
    const isAlone = meta.source === "exec" || meta.originator === "codex_exec";
    const cwd = typeof meta.cwd === "string" ? meta.cwd : null;
    return { nativeId, kind: isAlone ? "autonomous" : "interactive", cwd, pid: null };
  },
};

function metaIn(line: string): JsonObject | undefined {
  const value = readJsonObject(line);
  return value?.type === "session_meta" && isJsonObject(value.payload) ? value.payload : undefined;
}
