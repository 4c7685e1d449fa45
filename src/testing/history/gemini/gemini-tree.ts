import type { AgentTree } from "../claude/claude-tree.ts";
import type { HistoryFile, RequestTruth, SessionTruth } from "../truth.ts";
import type { World } from "../world.ts";
import { GeminiChat } from "./chat.ts";

const MODELS = ["gemini-2.5-flash", "gemini-2.5-flash", "chosen-model", "model-of-tomorrow"] as const;

/** The folders of Gemini CLI with conversations in all the ways in which releases have written them. */
export function generateGemini(world: World): AgentTree {
  const chats: GeminiChat[] = [];
  for (let index = 1 + world.random.int(3); index > 0; index--) chats.push(writeChat(world));
  const parent = world.random.pick(chats);
  if (world.lay("gemini: sub-agent", 0.4)) chats.push(writeChat(world, parent));
  return { files: chats.flatMap(filesOf), sessions: chats.map(truthOf) };
}

function writeChat(world: World, parent: GeminiChat | null = null): GeminiChat {
  world.pass(1);
  const chat = new GeminiChat(world, parent);
  for (let index = 1 + world.random.int(4); index > 0; index--) writeTurn(chat);
  return chat;
}

function writeTurn(chat: GeminiChat): void {
  const { world } = chat;
  if (chat.turns > 0 && world.lay("gemini: resumed after hours", 0.2)) chat.resume();
  const first = chat.say(world.words(3));
  for (let index = world.random.int(3); index > 0; index--)
    chat.answer(requestOf(world), { callsTool: true });
  if (world.lay("gemini: cancelled turn", 0.15)) chat.notice("info", "Request cancelled.");
  else if (world.lay("gemini: failed turn", 0.15)) chat.notice("error", "[API Error: 400]");
  else chat.answer(requestOf(world), { callsTool: false });
  if (world.lay("gemini: written again for a new history", 0.2)) chat.repeat();
  if (world.lay("gemini: rewound turn stays billed", 0.15)) chat.rewind(first);
}

function requestOf(world: World): RequestTruth {
  const reasoning = world.random.chance(0.5) ? 1 + world.random.int(500) : 0;
  return {
    model: world.random.pick(MODELS),
    at: 0,
    input: world.random.int(20_000),
    output: 1 + world.random.int(2000) + reasoning,
    cacheRead: world.random.chance(0.5) ? 1 + world.random.int(50_000) : 0,
    ...{ cacheWrite: 0, cacheWriteHour: 0, webSearches: 0, isFast: false, reportedNanoUsd: null },
    reasoning,
  };
}

/** A conversation in one object, in lines, or in both ways after its migration; and heads that a resume left. */
function filesOf(chat: GeminiChat): HistoryFile[] {
  const { world, parent, id, path, records, isNew } = chat;
  const file = (name: string, all: readonly object[], partial = ""): HistoryFile => ({
    ...{ path: name, agent: "gemini", partial },
    lines: all.map((record) => JSON.stringify(record)),
  });
  if (parent !== null) return [file(`.gemini/tmp/project/chats/${parent.id}/${id}.jsonl`, records)];
  const isOld = !isNew && world.random.chance(0.3);
  const whole: HistoryFile = { path: path.replace(/l$/u, ""), agent: "gemini", lines: [chat.asWhole()] };
  if (isOld && world.lay("gemini: whole conversation in one object", 0.5)) return [whole];
  const isHalf = world.lay("gemini: half a line", 0.2);
  const lines = file(path, records, isHalf ? '{"id":"half' : "");
  const heads = chat.heads.map((name) => file(name, [records[0] as object, { $set: { messages: [] } }]));
  if (isOld) world.traps.add("gemini: both files after a migration");
  return [...(isOld ? [whole] : []), lines, ...heads];
}

function truthOf({ id, parent, turns, texts, requests }: GeminiChat): SessionTruth {
  return {
    ...{ agent: "gemini", nativeId: id, parent: parent?.id ?? null, forkedFrom: null },
    // All that a sub-agent is told belongs to the turn of its task.
    ...{ turns: parent === null ? turns : Math.min(turns, 1), visible: texts, requests, isEmpty: false },
  };
}
