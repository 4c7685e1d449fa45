import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pino from "pino";
import type { Agent } from "../../agents/agent.ts";
import { findAgent } from "../../agents/registry.ts";
import { SubagentWatch } from "../../daemon/subagents/subagent-watch.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { AgentType } from "../../domain/session/session.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { createSession } from "../../record/create.ts";
import { tempWorld } from "../temp-rollcall.ts";

const SESSION = "31cc0d88-97d1-4da7-91ff-35423633bc58";
export const AT = "2026-01-08T18:00:01.000Z";

interface GivenWatch {
  readonly agent?: AgentType;
  readonly nativeId?: string;
  /** The database of an agent that keeps its sub-agents in one. */
  readonly databases?: string | null;
}

/** A session of Claude Code whose sub-agents are written by hand. */
export async function subagentPlace() {
  const world = tempWorld();
  const rollcall = await world.open();
  const { context } = rollcall;
  const log = pino({ enabled: false });
  const id = await createSession(context, { agentType: "claude" });
  const transcript = join(world.home, `${SESSION}.jsonl`);
  const folder = join(world.home, SESSION, "subagents");
  const watches: SubagentWatch[] = [];
  const ports = {
    ...{ context, log, redact: context.redact },
    observations: { msToTick: 0, note: async () => {} } as never,
    pricing: { now: async () => (request: UsageEntry) => request } as never,
  };
  return {
    ...{ id, rollcall, context, log },
    /** Those of a daemon that comes back begin anew. */
    watch: ({ agent = "claude", nativeId = SESSION, databases = null }: GivenWatch = {}) => {
      const watch = new SubagentWatch(
        {
          ...ports,
          id,
          transcript: { path: transcript },
          target: { nativeId },
          carrying: { agentPaths: { databases } },
        },
        findAgent(agent) as Agent,
      );
      watches.push(watch);
      return watch;
    },
    write: (path: string, lines: readonly JsonObject[], note: JsonObject = {}) => {
      const file = join(folder, `${path}.jsonl`);
      mkdirSync(dirname(file), { recursive: true });
      const meta = { agentType: "general-purpose", description: path, ...note };
      writeFileSync(join(folder, `${path}.meta.json`), JSON.stringify(meta));
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    },
    children: async (parentId = id) =>
      (await Array.fromAsync(rollcall.list())).filter((session) => session.parentId === parentId),
    [Symbol.asyncDispose]: async () => {
      for (const watch of watches) watch.stop();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

const says = (type: string, message: JsonObject) => ({ type, timestamp: AT, isSidechain: true, message });
export const TASK = says("user", { role: "user", content: "do it" });
export const request = (id: string, stop_reason: string) =>
  says("assistant", {
    ...{ id, model: "claude-haiku-4-5", stop_reason, content: [{ type: "text", text: `word ${id}` }] },
    usage: { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 7, cache_creation_input_tokens: 8 },
  });
