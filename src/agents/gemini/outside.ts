import { readJsonObject } from "../../domain/json.ts";
import type { Outside } from "../agent.ts";
import { isOwnChat, isWord, parseChat, turnAtRest } from "./chat/chat.ts";
import { projectsFolder } from "./home.ts";
import type { GeminiMemory } from "./memory.ts";

const CHAT = /^session-[\dT-]+-[\da-f]{8}\.jsonl$/;

/**
 * Sessions of Gemini CLI that someone started by hand: each has a file from its start on, which names no process. So has a
 * process that only waits for others, such as one that speaks a protocol: a session shows by its first word.
 */
export const outside: Outside<GeminiMemory> = {
  sources: { transcript: { parse: parseChat } },
  trust: ["transcript"],
  turnAtRest,
  writesAfterEnd: true,
  isWord,
  places: (env) => ({ liveFiles: null, transcripts: projectsFolder(env) }),
  ofTranscript(name, line) {
    if (!CHAT.test(name) || !isOwnChat(line)) return undefined;
    const nativeId = readJsonObject(line)?.sessionId as string;
    return nativeId === "" ? undefined : { nativeId, kind: "interactive", cwd: null, pid: null };
  },
};
