import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { connectDaemon } from "../../client/client.ts";
import { RollcallError } from "../../domain/errors.ts";
import { LONGEST_LINE } from "../../operations/protocol.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { type Handlers, openSocketServer } from "./socket-server.ts";

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly logged: string[];
  connect(): Promise<Line>;
}

/** A caller that speaks in bytes. */
interface Line {
  readonly socket: Socket;
  /** The next line as JSON; undefined when the server has closed. */
  next(): Promise<Record<string, unknown> | undefined>;
}

/** A real server with handlers of the test. */
async function openPlace(handlers: Partial<Record<keyof Handlers, unknown>>, deep = ""): Promise<Place> {
  const temporary = tempFolder();
  const folder = join(temporary.path, deep);
  process.getBuiltinModule("node:fs").mkdirSync(folder, { recursive: true });
  const logged: string[] = [];
  const server = await openSocketServer({
    socket: join(folder, "daemon.sock"),
    version: "1.2.3",
    handlers: handlers as Handlers,
    redact: <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as T,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
  });
  return {
    folder,
    logged,
    connect: async () => {
      const socket = connect(join(folder, "daemon.sock"));
      const lines = createInterface(socket)[Symbol.asyncIterator]();
      const next = async () => {
        const { done, value } = await lines.next();
        return done ? undefined : (JSON.parse(value) as Record<string, unknown>);
      };
      await next();
      return { socket, next };
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      temporary[Symbol.dispose]();
    },
  };
}

function call(id: number, operation = "get_status", input: unknown = {}): string {
  return `${JSON.stringify({ id, operation, input })}\n`;
}

const STATUS = { get_status: async () => ({ pid: 1, version: "1", live: 0 }) };

describe("the server", () => {
  test("is open for the user alone, and says who it is", async () => {
    await using place = await openPlace(STATUS);
    expect(statSync(join(place.folder, "daemon.sock")).mode & 0o777).toBe(0o600);
    using client = await connectDaemon(place.folder);
    expect(client?.greeting).toEqual({ version: "1.2.3", protocol: 1, pid: process.pid });
  });

  test("opens in a folder whose path is longer than the address of a socket", async () => {
    await using place = await openPlace(STATUS, "deep/".repeat(30));
    using client = await connectDaemon(place.folder);
    expect(await client?.call("get_status", {})).toMatchObject({ live: 0 });
  });

  test("takes our own form in and gives it out, and never a secret", async () => {
    const seen: unknown[] = [];
    const send_input = async (input: unknown) => {
      seen.push(input);
      return { sessionId: "hunter2", seq: 3 };
    };
    await using place = await openPlace({ send_input });
    using client = await connectDaemon(place.folder);
    const answer = await client?.call("send_input", { sessionId: "a", text: "my_text" });
    expect([seen, answer]).toEqual([[{ sessionId: "a", text: "my_text" }], { sessionId: "***", seq: 3 }]);
  });

  test("keeps the names of the caller's variables", async () => {
    const seen: { readonly env: object }[] = [];
    const start_session = async (input: { env: object }) => ({ seen: seen.push(input) });
    await using place = await openPlace({ start_session });
    using client = await connectDaemon(place.folder);
    const env = { my_var: "1", MY_VAR: "2", myVar: "3" };
    await client?.call("start_session", { agentType: "unknown", args: ["true"], env, cwd: "/" });
    expect(seen[0]?.env).toEqual(env);
  });

  test("answers many calls at once, each by its number, in the order they are done", async () => {
    const gates = new Map<string, () => void>();
    const explain_session = async ({ sessionId }: { sessionId: string }) => {
      await new Promise<void>((resolve) => gates.set(sessionId, resolve));
      return { sessionId };
    };
    await using place = await openPlace({ ...STATUS, explain_session });
    using client = await connectDaemon(place.folder);
    const ids = [...Array(100).keys()].map(String);
    const answers = ids.map((sessionId) => client?.call("explain_session", { sessionId }));
    await client?.call("get_status", {});
    for (const id of ids.toReversed()) gates.get(id)?.();
    expect(await Promise.all(answers)).toEqual(ids.map((sessionId) => ({ sessionId })));
  });

  test("puts a call together from its pieces, whatever they cut", async () => {
    await using place = await openPlace({ send_input: async ({ text }: { text: string }) => ({ text }) });
    const line = await place.connect();
    const bytes = Buffer.from(call(7, "send_input", { session_id: "a", text: "é😀" }));
    for (const byte of bytes) line.socket.write(Uint8Array.of(byte));
    expect(await line.next()).toEqual({ id: 7, result: { text: "é😀" } });
    line.socket.destroy();
  });
});

describe("a caller", () => {
  const HOPELESS = [
    "no JSON\n",
    "\n",
    "null\n",
    "5\n",
    "[]\n",
    "{}\n",
    '{"id":"1","operation":"get_status"}\n',
    "\0\n",
  ];

  test.each(HOPELESS)("that says %j is let go, and nobody else", async (text) => {
    await using place = await openPlace(STATUS);
    using other = await connectDaemon(place.folder);
    const line = await place.connect();
    line.socket.write(text);
    expect(await line.next()).toBeUndefined();
    expect(await other?.call("get_status", {})).toMatchObject({ live: 0 });
    expect(place.logged).toEqual([]);
  });

  test("that never ends its line is let go", async () => {
    await using place = await openPlace(STATUS);
    const line = await place.connect();
    line.socket.on("error", () => {});
    line.socket.write("x".repeat(LONGEST_LINE + 1));
    expect(await line.next()).toBeUndefined();
  });

  test.each([
    ["fly", {}, 'There is no operation "fly".'],
    ["send_input", { session_id: "a" }, /^The input of send_input is wrong at text: .*\.$/],
    ["get_status", null, /^The input of get_status is wrong: .*\.$/],
  ])("is told in one sentence what is wrong with %s %j", async (operation, input, message) => {
    await using place = await openPlace(STATUS);
    const line = await place.connect();
    line.socket.write(call(1, operation, input));
    const error = { code: "bad_input", message: expect.stringMatching(message) };
    expect(await line.next()).toMatchObject({ id: 1, error });
    line.socket.write(call(2));
    expect(await line.next()).toMatchObject({ id: 2, result: { live: 0 } });
    line.socket.destroy();
  });

  test("gets a coded error with its hint and facts", async () => {
    const refuse = async () => {
      throw new RollcallError("wrong_state", "No, hunter2.", { hint: "Wait.", facts: { state: "paused" } });
    };
    await using place = await openPlace({ get_status: refuse });
    using client = await connectDaemon(place.folder);
    await expect(client?.call("get_status", {})).rejects.toMatchObject({
      code: "wrong_state",
      message: "No, ***.",
      hint: "Wait.",
      facts: { state: "paused" },
    });
    expect(place.logged).toEqual([]);
  });

  test("is told of a failure of ours, and the log knows more", async () => {
    const fail = async () => Promise.reject(new Error("oops"));
    await using place = await openPlace({ get_status: fail });
    using client = await connectDaemon(place.folder);
    await expect(client?.call("get_status", {})).rejects.toMatchObject({ code: "internal" });
    expect(place.logged.join("")).toContain("oops");
  });

  test("that leaves in the middle of a wait is not waited for any longer", async () => {
    const left = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const wait_for_session = async (_: unknown, signal: AbortSignal) => {
      signal.addEventListener("abort", () => left.resolve());
      began.resolve();
      await left.promise;
    };
    await using place = await openPlace({ wait_for_session });
    const line = await place.connect();
    line.socket.write(call(1, "wait_for_session", { session_ids: ["a"] }));
    await began.promise;
    line.socket.destroy();
    await left.promise;
  });

  test("that does not read its answers is not listened to until it does, and loses none", async () => {
    let calls = 0;
    const answer = { text: "x".repeat(100_000) };
    await using place = await openPlace({ get_status: async () => ({ ...answer, calls: ++calls }) });
    const line = await place.connect();
    line.socket.pause();
    for (let id = 1; id <= 1000; id++) line.socket.write(call(id).padEnd(2000));
    using other = await connectDaemon(place.folder);
    for (let asked = 0; asked < 20; asked++) await other?.call("get_status", {});
    expect(calls).toBeLessThan(900);
    line.socket.resume();
    const ids: unknown[] = [];
    while (ids.length < 1000) ids.push((await line.next())?.id);
    expect(ids).toEqual([...Array(1000).keys()].map((index) => index + 1));
    line.socket.destroy();
  });
});

describe("a client", () => {
  test("finds no daemon where none listens", async () => {
    using folder = tempFolder();
    expect(await connectDaemon(folder.path)).toBeUndefined();
    expect(await connectDaemon(join(folder.path, "nowhere"))).toBeUndefined();
  });

  test("is told when the daemon leaves in the middle of a call, and when it asks after that", async () => {
    const began = Promise.withResolvers<void>();
    const get_status = async () => new Promise(() => began.resolve());
    const place = await openPlace({ get_status });
    using client = await connectDaemon(place.folder);
    const asked = expect(client?.call("get_status", {})).rejects.toMatchObject({ code: "daemon_failed" });
    await began.promise;
    await place[Symbol.asyncDispose]();
    await asked;
    await client?.closed;
    await expect(client?.call("get_status", {})).rejects.toMatchObject({ code: "daemon_failed" });
  });

  test("is answered by a daemon that is about to leave, and refused where it asks only then", async () => {
    const [began, done] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
    const get_status = async () => {
      began.resolve();
      return done.promise;
    };
    const place = await openPlace({ get_status });
    using client = await connectDaemon(place.folder);
    const first = client?.call("get_status", {});
    await began.promise;
    const left = place[Symbol.asyncDispose]();
    await expect(client?.call("get_status", {})).rejects.toMatchObject({ code: "daemon_not_running" });
    done.resolve({ live: 3 });
    expect(await first).toEqual({ live: 3 });
    await left;
  });

  test("of another language is told how to go on", async () => {
    using folder = tempFolder();
    const server = process.getBuiltinModule("node:net").createServer((socket) => {
      socket.end(`${JSON.stringify({ rollcall: { version: "9", protocol: 99, pid: 1 } })}\n`);
    });
    server.listen(join(folder.path, "daemon.sock"));
    await once(server, "listening");
    await expect(connectDaemon(folder.path)).rejects.toMatchObject({ code: "daemon_other_version" });
    server.close();
  });
});
