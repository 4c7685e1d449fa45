import * as sdk from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import { entriesOf, signalsOf } from "../../testing/agents/replay.ts";
import type { Deed } from "../deed.ts";
import type { LaunchRequest } from "../launch.ts";
import type { Memory, Parsed } from "../parsed.ts";
import { acpMode } from "./mode.ts";

/** Our codec on one side, an agent made with the protocol's SDK on the other: the SDK checks all that we say. */
class Talk {
  readonly mode = acpMode({ command: ["agent"] });
  readonly results: Parsed[] = [];
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #memory: Memory;
  #changed = Promise.withResolvers<void>();

  constructor(agent: ReturnType<typeof sdk.agent>, wishes: Partial<LaunchRequest> = {}) {
    const toAgent = new TransformStream<Uint8Array, Uint8Array>();
    const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
    this.#writer = toAgent.writable.getWriter();
    agent.connect(sdk.ndJsonStream(fromAgent.writable, toAgent.readable));
    const { opening, memory } = this.mode.plan(launchRequest(wishes));
    this.#memory = memory ?? {};
    void this.#read(fromAgent.readable);
    void this.#writer.write(new TextEncoder().encode(opening));
  }

  get target() {
    return { nativeId: null, memory: this.#memory };
  }

  do(deed: Deed | undefined): void {
    if (deed?.via !== "lines") throw new Error("There is nothing to do.");
    void this.#writer.write(new TextEncoder().encode(deed.lines.map((line) => `${line}\n`).join("")));
    if (deed.implies) this.#take(deed.implies);
  }

  /** Resolves with the last signal that says so. */
  async until(says: string) {
    for (;;) {
      const last = this.results.findLast(({ signal }) => signal)?.signal;
      if (last?.says === says) return last;
      await this.#changed.promise;
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    for await (const bytes of stream) {
      const lines = (rest + new TextDecoder().decode(bytes)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(this.mode.sources.stream?.parse(line, this.#memory) ?? {});
    }
  }

  #take(parsed: Parsed): void {
    this.#memory = { ...this.#memory, ...parsed.memory } as Memory;
    this.results.push(parsed);
    if (parsed.reply) this.do(parsed.reply);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function newAgent(capabilities: sdk.AgentCapabilities) {
  return sdk
    .agent({ name: "test" })
    .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: capabilities }))
    .onRequest("session/new", () => ({ sessionId: "s1" }));
}

test("the SDK's agent takes our texts, answers and cancels, and we understand what it says", async () => {
  const cancelled = Promise.withResolvers<void>();
  const agent = newAgent({})
    .onNotification("session/cancel", () => cancelled.resolve())
    .onRequest("session/prompt", async ({ params, client }) => {
      const { sessionId, prompt } = params;
      const say = (text: string) =>
        client.notify("session/update", {
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        });
      const [block] = prompt;
      if (block?.type === "text" && block.text === "wait") {
        await cancelled.promise;
        return { stopReason: "cancelled" as const };
      }
      await say("hel");
      await say("lo");
      const { outcome } = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "c1", title: "Run it", kind: "execute", rawInput: { command: "ls" } },
        options: [{ optionId: "go", name: "Go", kind: "allow_once" }],
      });
      await say(outcome.outcome === "selected" ? outcome.optionId : outcome.outcome);
      return { stopReason: "end_turn" as const };
    });
  const talk = new Talk(agent);
  await talk.until("ready");
  const { controls } = talk.mode;
  talk.do(controls.say(talk.target, "do"));
  const asking = await talk.until("asking");
  if (asking.says !== "asking") throw new Error("It does not ask.");
  const request = { ...asking.asked, since: "2026-11-18T20:00:00.000Z" } as const;
  talk.do(controls.approve(talk.target, request));
  await talk.until("ready");
  talk.do(controls.say(talk.target, "wait"));
  talk.do(controls.interrupt(talk.target));
  await talk.until("ready");
  expect(signalsOf(talk.results)).toEqual([
    ...["ready", "working", 'asking execute {"command":"ls"}', "working", "ready good"],
    ...["working", "ready aborted"],
  ]);
  expect(entriesOf(talk.results)).toEqual([
    ...["user text: do", "assistant text: hello", 'assistant tool_call: execute {"command":"ls"}'],
    ...["assistant text: go", "user text: wait"],
  ]);
});

test.each([
  ["session/resume", { sessionCapabilities: { resume: {} } }, "resume"],
  ["session/load", { loadSession: true }, "resume"],
  ["session/fork", { sessionCapabilities: { fork: {} } }, "fork"],
] as const)("the SDK's agent takes our %s", async (method, capabilities, how) => {
  const asked: unknown[] = [];
  const agent = newAgent(capabilities)
    .onRequest("session/resume", ({ params }) => {
      asked.push(params);
      return {};
    })
    .onRequest("session/load", ({ params }) => {
      asked.push(params);
      return {};
    })
    .onRequest("session/fork", ({ params }) => {
      asked.push(params);
      return { sessionId: "s2" };
    });
  const talk = new Talk(agent, { continues: { nativeId: "s1", how } });
  await talk.until("ready");
  expect(asked).toEqual([{ sessionId: "s1", cwd: "/project", mcpServers: [] }]);
  expect(entriesOf(talk.results)).toEqual([`system notice: The conversation was continued by ${method}.`]);
  expect(talk.results.flatMap(({ identity }) => identity?.nativeId ?? [])).toEqual([
    how === "fork" ? "s2" : "s1",
  ]);
});

test("the SDK's agent takes our close and our choice of a model", async () => {
  const taken: string[] = [];
  const closed = Promise.withResolvers<void>();
  const agent = sdk
    .agent({ name: "test" })
    .onRequest("initialize", () => ({
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { close: {} } },
    }))
    .onRequest("session/new", () => ({ sessionId: "s1", configOptions: [modelOption("a")] }))
    .onRequest("session/set_config_option", ({ params }) => {
      taken.push(`${params.configId} ${"value" in params ? params.value : ""}`);
      return { configOptions: [modelOption("b")] };
    })
    .onRequest("session/close", ({ params }) => {
      taken.push(params.sessionId);
      closed.resolve();
      return {};
    });
  const talk = new Talk(agent, { model: "b" });
  await talk.until("ready");
  talk.do(talk.mode.controls.stop(talk.target));
  await closed.promise;
  expect(taken).toEqual(["model b", "s1"]);
  expect(talk.results.flatMap(({ identity }) => identity?.model ?? [])).toEqual(["a", "b"]);
});

function modelOption(currentValue: string) {
  const options = ["a", "b"].map((value) => ({ value, name: value }));
  return { id: "model", name: "Model", category: "model", type: "select" as const, currentValue, options };
}
