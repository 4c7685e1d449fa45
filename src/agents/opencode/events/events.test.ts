import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entriesOf, replay, signalsOf } from "../../../testing/agents/replay.ts";
import type { OpencodeMemory } from "../memory.ts";
import { catchUp } from "./catch-up.ts";
import { parseEvent } from "./events.ts";

const SAMPLES = join(import.meta.dirname, "..", "samples");

function parse(data: string, memory: OpencodeMemory) {
  return parseEvent({ id: null, name: "message", data }, memory);
}

function replayed(name: string) {
  return replay<OpencodeMemory>(join(SAMPLES, `${name}.jsonl`), parse);
}

/** Signals that follow each other are one. */
function statesOf(name: string): string[] {
  return signalsOf(replayed(name)).filter((one, index, all) => one !== all[index - 1]);
}

describe("the events of OpenCode", () => {
  test("tell an error, an interrupt, and a text in mid-turn", () => {
    expect(statesOf("events-turns")).toEqual([
      "ready",
      "working",
      "ready failed",
      "working",
      "ready aborted",
      "working",
      "ready good",
    ]);
  });

  test("have each text once, however often it is told", () => {
    expect(entriesOf(replayed("events-turns"))).toEqual([
      "user text: [[err:400]]",
      "system notice: scripted error 400",
      "user text: [[text:half]][[gate:never]]",
      "system notice: Interrupted by the user.",
      "assistant text: half",
      "user text: [[gate:g1]][[text:one]]",
      "user text: [[text:two]]",
      "assistant text: one",
      "assistant text: two",
    ]);
  });

  test("count each request once, with what OpenCode says that it cost", () => {
    const usage = replayed("events-turns").flatMap(({ usage = [] }) => usage);
    const keys = new Set(usage.map(({ requestKey }) => requestKey));
    expect(keys.size).toBe(2);
    for (const one of usage)
      expect(one).toMatchObject({
        tokensInput: 1000,
        tokensOutput: 20,
        reportedNanoUsd: 1_100_000,
        isShared: true,
      });
  });

  test("hold a rest back that comes before the end of the answer", () => {
    const rests = replayed("events-turns").flatMap(({ signal }) =>
      signal?.says === "ready" ? [signal] : [],
    );
    expect(rests.map(({ settleMs }) => settleMs !== undefined)).toEqual([
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  test("tell retries, questions, permissions, denials, and two requests at once", () => {
    const question = JSON.stringify({
      questions: [
        {
          question: "Which one?",
          header: "Choice",
          options: ["A", "B"].map((label) => ({ label, description: `Choose ${label}` })),
        },
      ],
    });
    const permission = (command: string) => `asking bash {"command":"${command}"}`;
    expect(statesOf("events-requests")).toEqual([
      ...["ready", "working", "ready good", "working", "ready good"],
      ...["working", `asking null ${question}`, "working", "ready good"],
      // Denied without a reason: the turn stops there.
      ...["working", permission("touch a"), "working", "ready aborted"],
      ...["working", permission("touch a"), "working", "ready good"],
      ...["working", permission("touch one"), permission("touch two"), "working", "ready good"],
      ...["working", permission("touch one"), "ready aborted"],
    ]);
  });

  test("leave out the words of a sub-agent and the copies of a fork, but not the sub-agent's request", () => {
    const results = replayed("events-subagent-and-fork");
    expect(entriesOf(results).map((entry) => entry.slice(0, 40))).toEqual([
      'user text: [[call:task {"description":"h',
      'assistant tool_call: task {"description"',
    ]);
    expect(signalsOf(results)).toContain('asking bash {"command":"touch helped"}');
    const natives = results.flatMap(({ identity }) => identity?.nativeId ?? []);
    expect(natives).toEqual(["ses_e0fc5ad70ffecjm7js6Uirw1tL", "ses_e0fc598c6ffeSXs9ZcQnIG3koL"]);
  });
});

test("a request that is told again is asked once", () => {
  const asked = JSON.stringify({ type: "permission.asked", properties: REQUEST });
  const first = parse(asked, { native: "ses_1" });
  const again = parse(asked, { native: "ses_1", ...first.memory });
  expect(again.memory?.requests).toEqual(first.memory?.requests);
  expect(first.memory?.requests).toHaveLength(1);
});

test("of requests without measure a hundred are kept, with the beginning of what they are for", () => {
  let memory: OpencodeMemory = { native: "ses_1" };
  for (let n = 0; n < 150; n++) {
    const properties = { ...REQUEST, id: `per_${n}`, metadata: { diff: "x".repeat(1_000_000) } };
    const asked = JSON.stringify({ type: "permission.asked", properties });
    memory = { ...memory, ...parse(asked, memory).memory };
  }
  expect(memory.requests).toHaveLength(100);
  expect(JSON.stringify(memory).length).toBeLessThan(1_000_000);
});

test("a request of another conversation is not asked", () => {
  const asked = JSON.stringify({ type: "permission.asked", properties: REQUEST });
  expect(parse(asked, { native: "ses_2" })).toEqual({});
  expect(parse(asked, { native: "ses_2", children: ["ses_1"] }).signal?.says).toBe("asking");
});

test("the agent and model that a person chooses for a text are kept for the next one", () => {
  const info = { id: "msg_1", sessionID: "ses_1", role: "user", agent: "plan", time: { created: 1 } };
  const told = (model: object) =>
    parse(JSON.stringify({ type: "message.updated", properties: { info: { ...info, model } } }), {
      native: "ses_1",
    });
  const chosen = told({ providerID: "router", modelID: "maker/big" });
  expect(chosen.memory).toMatchObject({ agent: "plan", model: "router/maker/big" });
  expect(chosen.identity).toEqual({ model: "router/maker/big" });
  expect(told({ providerID: "router" }).memory).not.toHaveProperty("model");
});

describe("the status of OpenCode", () => {
  const status = (given: object, memory: OpencodeMemory = {}) =>
    parse(JSON.stringify({ type: "session.status", properties: { sessionID: "ses_1", status: given } }), {
      native: "ses_1",
      ...memory,
    });

  test("says why it tries again, and nothing of a status that is not known", () => {
    expect(status({ type: "retry", message: "overloaded" }).signal).toMatchObject({
      says: "working",
      excerpt: "overloaded",
    });
    expect(status({ type: "busy", message: "overloaded" }).signal).toMatchObject({
      says: "working",
      excerpt: null,
    });
    expect(status({ type: "other" })).toEqual({});
  });

  test("names the request that it stands at, though it tries again", () => {
    const asked = JSON.stringify({ type: "permission.asked", properties: REQUEST });
    const memory = parse(asked, { native: "ses_1" }).memory as OpencodeMemory;
    const { signal } = status({ type: "retry", message: "overloaded" }, memory);
    expect(signal).toMatchObject({ says: "asking", asked: { requestId: "per_1" } });
    expect(signal?.excerpt).not.toBe("overloaded");
  });

  test("at rest forgets the answer that it held the rest back for", () => {
    expect(status({ type: "idle" }, { openAnswer: "msg_1" }).memory).toMatchObject({ openAnswer: null });
    expect(status({ type: "idle" }).memory).not.toHaveProperty("openAnswer");
  });
});

describe("a session that OpenCode makes or changes", () => {
  const event = (type: string, info: object, memory: OpencodeMemory) =>
    parse(JSON.stringify({ type, properties: { info } }), memory);

  test("is shown at the terminal where there is one", () => {
    const created = (memory: OpencodeMemory) => event("session.created", { id: "ses_1" }, memory);
    expect(created({ hasTerminal: true }).reply).toMatchObject({ via: "http" });
    expect(created({})).not.toHaveProperty("reply");
    expect(created({}).identity).toEqual({ nativeId: "ses_1" });
  });

  test("is a sub-agent where it has a parent, and is kept once", () => {
    const updated = (info: object, memory: OpencodeMemory) => event("session.updated", info, memory);
    const child = { id: "ses_2", parentID: "ses_1" };
    expect(updated(child, { children: ["ses_0"] }).memory).toEqual({ children: ["ses_0", "ses_2"] });
    expect(updated(child, { children: ["ses_2"] })).toEqual({});
    expect(updated({ id: "ses_2" }, {})).toEqual({});
    expect(updated({ id: 2, parentID: "ses_1" }, {})).toEqual({});
  });
});

const REQUEST = {
  id: "per_1",
  sessionID: "ses_1",
  permission: "bash",
  metadata: { command: "ls" },
  always: ["ls *"],
};

function caughtUp(known: OpencodeMemory, answers: Readonly<Record<string, unknown>>) {
  let memory = known;
  return catchUp.map(({ path, parse }) => {
    const parsed = parse((answers[path(memory)] ?? {}) as never, memory);
    memory = { ...memory, ...parsed.memory };
    return parsed;
  });
}

describe("what was missed of OpenCode", () => {
  test("is that it is up, and then a conversation is opened", () => {
    const results = caughtUp({}, { "/global/health": { version: "1.18.33" } });
    expect(results[0]?.identity).toEqual({ agentVersion: "1.18.33" });
    expect(results.at(-1)?.reply).toMatchObject({ path: "/session" });
  });

  test("is no reason to open a second conversation while one is being opened", () => {
    expect(caughtUp({ isOpening: true }, {}).at(-1)).toEqual({});
  });

  test("is asked for once more where the first call hung for two heartbeats", () => {
    const heartbeat = JSON.stringify({ type: "server.heartbeat", properties: {} });
    const first = parse(heartbeat, { isOpening: true });
    expect(first).toEqual({ memory: { hasWaited: true } });
    expect(parse(heartbeat, { isOpening: true, hasWaited: true }).reply).toMatchObject({ path: "/session" });
    expect(parse(heartbeat, { isOpening: true, hasWaited: true, native: "ses_1" })).toEqual({});
  });

  test("waits for the terminal, where there is one", () => {
    expect(caughtUp({ hasTerminal: true }, {}).at(-1)).toEqual({});
  });

  test("is the request that it stands at, while its session is busy", () => {
    const answers = { "/permission": [REQUEST], "/session/status": { ses_1: { type: "busy" } } };
    expect(caughtUp({ native: "ses_1" }, answers).at(-1)?.signal).toMatchObject({
      says: "asking",
      asked: { requestId: "per_1", tool: "bash", input: { command: "ls" } },
    });
  });

  test("is no request of a turn that is over, which OpenCode lists for ever", () => {
    const rest = caughtUp({ native: "ses_1" }, { "/permission": [REQUEST] }).at(-1);
    expect([rest?.signal?.says, rest?.memory?.stale]).toEqual(["ready", ["per_1"]]);
    const later = { "/permission": [REQUEST], "/session/status": { ses_1: { type: "busy" } } };
    expect(caughtUp({ native: "ses_1", stale: ["per_1"] }, later).at(-1)?.signal?.says).toBe("working");
  });

  test("is what was said since the last event, and how the turn went", () => {
    const info = {
      id: "msg_2",
      sessionID: "ses_1",
      role: "assistant",
      finish: "stop",
      time: { created: 2, completed: 3 },
    };
    const told = {
      id: "prt_1",
      type: "text",
      text: "told",
      time: { end: 2 },
      sessionID: "ses_1",
      messageID: "msg_2",
    };
    const answers = {
      "/session/ses_1/message?limit=200": [
        { info: { ...info, id: "msg_0" }, parts: [{ ...told, id: "prt_0", messageID: "msg_0" }] },
        { info, parts: [told, { ...told, id: "prt_2", text: "missed" }] },
      ],
    };
    const memory = {
      native: "ses_1",
      firstMessage: "msg_1",
      told: ["prt_1"],
      isBusy: true,
      openAnswer: "msg_2",
    };
    const results = caughtUp(memory, answers);
    expect(entriesOf(results)).toEqual(["assistant text: missed"]);
    expect(results.at(-1)?.signal).toMatchObject({ says: "ready", turn: "good" });
  });
});
