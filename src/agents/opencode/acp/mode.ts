import type { AcpMemory } from "../../acp/memory.ts";
import { acpMode } from "../../acp/mode.ts";
import type { Mode } from "../../agent.ts";
import type { Parsed } from "../../parsed.ts";
import { missedMessages } from "../events/catch-up.ts";
import { parseEvent } from "../events/events.ts";
import { memoryOf, planServer } from "../launch.ts";
import type { OpencodeMemory } from "../memory.ts";

type Known = AcpMemory & OpencodeMemory;

const COMMAND = ["opencode", "acp"];
const spoken = acpMode({ command: COMMAND });

/**
 * OpenCode over the Agent Client Protocol, in which it tells the usage of a turn's last request alone. The server that it
 * starts beside it gets a password, and its events tell what each request has used.
 */
export const acp: Mode<Known> = {
  ...spoken,
  plan(request) {
    const plan = spoken.plan(request);
    return { ...plan, ...planServer(request, COMMAND), memory: { ...plan.memory, ...memoryOf(request) } };
  },
  sources: {
    stream: {
      parse: (line, memory) => withoutUsage(spoken.sources.stream?.parse(line, memory) ?? {}),
      end: (memory) => spoken.sources.stream?.end?.(memory) ?? {},
    },
    events: {
      path: "/event",
      parse: (event, memory) => usageAlone(parseEvent(event, memory)),
      catchUp: [
        {
          ...missedMessages,
          parse: (body, memory) => usageAlone(missedMessages.parse(body, fromItsFirst(memory))),
        },
      ],
    },
  },
};

/** The conversation that the protocol opens is the one whose events count. */
function withoutUsage({ untimedUsage: _, ...parsed }: Parsed<AcpMemory>): Parsed<Known> {
  const session = parsed.memory?.session;
  return session === undefined ? parsed : { ...parsed, memory: { ...parsed.memory, native: session } };
}

/**
 * Its server may hang until the first turn is over, and no event has told of a message by then: all of the conversation
 * counts, whose requests are known by their names. A fork also holds copies, under names of their own.
 */
function fromItsFirst(memory: Known): Known {
  const isKnown = typeof memory.firstMessage === "string" || memory.opening === "session/fork";
  return isKnown ? memory : { ...memory, firstMessage: "" };
}

/** And that a sub-agent works, which has a record of its own. */
function usageAlone({ usage, identity, memory, child }: Parsed<OpencodeMemory>): Parsed<Known> {
  const model = identity?.model;
  return {
    ...(child === undefined ? {} : { child }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { identity: { model } }),
    ...(memory === undefined ? {} : { memory }),
  };
}
