import type { AcpMemory } from "../../acp/memory.ts";
import { acpMode } from "../../acp/mode.ts";
import type { Mode } from "../../agent.ts";
import { CHAT_FILE, isEmptyChat } from "../chat/chat.ts";
import { projectsFolder, resumableName } from "../home.ts";
import { checkArguments } from "../launch.ts";
import type { GeminiMemory } from "../memory.ts";
import { parseChatUsage } from "./chat-usage.ts";
import { withSilentFailure } from "./silent-failure.ts";

const spoken = acpMode({ command: ["gemini", "--acp"], canFork: false, repeatsBehindLoad: true });

/**
 * Gemini CLI over the Agent Client Protocol. The protocol tells what a turn has used without the part from the cache, and
 * nothing of an answer that broke off: both are read from the file of the conversation.
 */
export const acp: Mode<AcpMemory & GeminiMemory> = {
  ...spoken,
  plan(request) {
    checkArguments(request.args);
    return { ...spoken.plan(request), transcripts: projectsFolder(request.env) };
  },
  sources: {
    stream: {
      parse: (line, memory) =>
        withSilentFailure(line, spoken.sources.stream?.parse(line, memory) ?? {}, memory),
      end: (memory) => spoken.sources.stream?.end?.(memory) ?? {},
    },
    transcript: {
      parse: parseChatUsage,
      ...CHAT_FILE,
      forResume: { nameOf: resumableName, isEmpty: isEmptyChat },
    },
  },
};
