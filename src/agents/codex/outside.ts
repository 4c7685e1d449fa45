import { isJsonObject, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Outside } from "../agent.ts";
import { rolloutFolder } from "./home.ts";
import type { CodexMemory } from "./memory.ts";
import { parseRollout } from "./rollout/rollout.ts";

const TRANSCRIPT = /^rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Sessions of Codex that someone started by hand: each has a rollout from its first prompt on, and nothing else. */
export const outside: Outside<CodexMemory> = {
  sources: { transcript: { parse: parseRollout } },
  trust: ["transcript"],
  places: (env) => ({ liveFiles: null, transcripts: rolloutFolder(env) }),
  ofTranscript(name, line) {
    const nativeId = TRANSCRIPT.exec(name)?.[1];
    const meta = nativeId === undefined ? undefined : metaIn(line);
    // A rollout of its own helpers is part of the session that they help.
    if (nativeId === undefined || !meta || (meta.thread_source ?? "user") !== "user") return undefined;
    const cwd = typeof meta.cwd === "string" ? meta.cwd : null;
    return { nativeId, kind: isExec(meta) ? "autonomous" : "interactive", cwd, pid: null };
  },
};

/** Nobody is at a terminal. */
export function isExec({ source, originator }: JsonObject): boolean {
  return source === "exec" || originator === "codex_exec";
}

function metaIn(line: string): JsonObject | undefined {
  const value = readJsonObject(line);
  return value?.type === "session_meta" && isJsonObject(value.payload) ? value.payload : undefined;
}
