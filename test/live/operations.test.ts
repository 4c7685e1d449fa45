import { join } from "node:path";
import { expect, test } from "vitest";
import { type Client, connectDaemon } from "../../src/client/client.ts";
import { toWire } from "../../src/domain/wire.ts";
import { OPERATIONS, type OperationName } from "../../src/operations/table.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

/** Calls operations of a real daemon, checks each answer against the table, and knows which were called. */
class Caller implements Disposable {
  readonly called = new Set<OperationName>();
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async call(name: OperationName, input: object): Promise<Called> {
    const answer = await this.#client.call<Called>(name, input);
    this.called.add(name);
    const checked = OPERATIONS[name].output.safeParse(JSON.parse(JSON.stringify(toWire(answer))));
    expect(checked.error, `the answer of ${name}`).toBeUndefined();
    return answer;
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

interface Called {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly seq: number;
  readonly results: readonly { readonly reached: string | null }[];
}

interface Input {
  readonly [name: string]: unknown;
  readonly sessionId: string;
}

async function callerOf(user: LiveUser): Promise<Caller> {
  await user.ok(["up"]);
  const client = await connectDaemon(join(user.state, "run"));
  if (!client) throw new Error("There is no daemon.");
  return new Caller(client);
}

test("every operation of a real daemon answers as the table says", async () => {
  await using user = newLiveUser();
  using caller = await callerOf(user);
  const launch = { env: user.env, cwd: user.workspace };
  const wait = async (sessionId: string, state: string, after = 0) => {
    const input = { sessionIds: [sessionId], until: [state], after, timeoutMs: 30_000 };
    const { results } = await caller.call("wait_for_session", input);
    expect(results[0]?.reached).toBe(state);
  };
  const thenWait = async (name: OperationName, input: Input, state: string) =>
    wait(input.sessionId, state, (await caller.call(name, input)).seq);

  const { id: sessionId } = await caller.call("start_session", {
    agentType: "scripted",
    args: [],
    ...launch,
  });
  await wait(sessionId, "waiting_input");
  const send = (text: string, state: string) => thenWait("send_input", { sessionId, text }, state);
  await send("say hello", "waiting_input");
  await send("ask Bash", "waiting_input");
  await caller.call("get_session_data", { sessionId });
  await caller.call("explain_session", { sessionId });
  await thenWait("answer_request", { sessionId, answer: "approve" }, "waiting_input");
  await caller.call("send_keys", { sessionId, keys: ["a", "BackSpace"] });
  await send("work 60s", "running");
  await caller.call("pause_session", { sessionId });
  await wait(sessionId, "paused");
  await caller.call("continue_session", { sessionId });
  await wait(sessionId, "running");
  await thenWait("interrupt_session", { sessionId }, "waiting_input");
  await caller.call("end_session", { sessionId });
  await caller.call("get_session_data", { sessionId });
  await caller.call("explain_session", { sessionId });
  await thenWait("resume_session", { sessionId, ...launch }, "waiting_input");
  const fork = await caller.call("fork_session", { sessionId, ...launch });
  await wait(fork.id, "waiting_input");
  await caller.call("get_status", {});
  await caller.call("stop_daemon", { endAll: true, graceMs: 2000 });

  expect([...caller.called].sort()).toEqual(Object.keys(OPERATIONS).sort());
});

test("a wait is given up when its caller leaves, and the daemon serves the others", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  const folder = join(user.state, "run");
  const client = await connectDaemon(folder);
  const waited = client?.call("wait_for_session", { sessionIds: [id], until: ["stopped"] });
  client?.[Symbol.dispose]();
  await expect(waited).rejects.toMatchObject({ code: "daemon_failed" });
  using other = await callerOf(user);
  await Promise.all([...Array(50)].map(() => other.call("get_status", {})));
  await other.call("end_session", { sessionId: id });
});
