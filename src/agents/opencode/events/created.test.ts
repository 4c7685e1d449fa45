import { expect, test } from "vitest";
import type { Deed } from "../../deed.ts";
import { parseTitle } from "../interactive/title.ts";
import type { OpencodeMemory } from "../memory.ts";
import { parseEvent } from "./events.ts";

const HEARTBEAT = { type: "server.heartbeat", properties: {} };
const created = (id: string) => ({ type: "session.created", properties: { info: { id } } });
const GIVEN = [
  {
    type: "message.updated",
    properties: { info: { id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1 } } },
  },
  { type: "session.status", properties: { sessionID: "ses_1", status: { type: "busy" } } },
];
const AT_REST = [
  {
    type: "message.updated",
    properties: {
      info: {
        id: "msg_2",
        sessionID: "ses_1",
        role: "assistant",
        finish: "stop",
        time: { created: 1, completed: 2 },
      },
    },
  },
  { type: "session.status", properties: { sessionID: "ses_1", status: { type: "idle" } } },
];

test("a call that seemed to hang and was made again does not show a prompt in the turn of its first text", () => {
  const asked = told([HEARTBEAT, HEARTBEAT], { isOpening: true });
  expect(asked.replies).toHaveLength(1);
  const { says, natives } = told([created("ses_1"), ...GIVEN, created("ses_2")], asked.memory);
  expect([says, natives]).toEqual([["ready", "working"], ["ses_1"]]);
});

test("a conversation that is begun later is another one, also where the first call hung for ever", () => {
  const asked = told([HEARTBEAT, HEARTBEAT], { isOpening: true });
  const { natives } = told([created("ses_1"), ...GIVEN, ...AT_REST, created("ses_2")], asked.memory);
  expect(natives).toEqual(["ses_1", "ses_2"]);
});

test("a title that loses its name in the middle of a turn opens no other conversation", () => {
  const { memory } = told([created("ses_1"), ...GIVEN.slice(0, 1)], { isUp: true, isTitled: true });
  expect(titled("OpenCode", memory)).toEqual({ replies: [], native: "ses_1" });
  const busy = told([created("ses_1"), ...GIVEN], { isUp: true, isTitled: true });
  expect(titled("OpenCode", busy.memory)).toEqual({ replies: [], native: "ses_1" });
});

test("a title that has no name when a turn is over opens another conversation", () => {
  const { memory } = told([created("ses_1"), ...GIVEN, ...AT_REST], { isUp: true, isTitled: true });
  expect(titled("OpenCode", memory)).toMatchObject({ replies: [{ path: "/session" }], native: null });
});

/** Takes events of OpenCode's server, one after the other. */
function told(events: readonly object[], before: OpencodeMemory) {
  let memory = before;
  const says: string[] = [];
  const natives: string[] = [];
  const replies: Deed[] = [];
  for (const event of events) {
    const parsed = parseEvent({ id: null, name: "message", data: JSON.stringify(event) }, memory);
    memory = { ...memory, ...parsed.memory };
    if (parsed.signal) says.push(parsed.signal.says);
    if (parsed.identity?.nativeId) natives.push(parsed.identity.nativeId);
    if (parsed.reply) replies.push(parsed.reply);
  }
  return { memory, says, natives, replies };
}

/** Takes a title of its terminal. */
function titled(title: string, memory: OpencodeMemory) {
  const parsed = parseTitle(title, memory);
  return { replies: parsed.reply ? [parsed.reply] : [], native: { ...memory, ...parsed.memory }.native };
}
