import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { EventsSource } from "../../agents/sources.ts";
import { freePort } from "../../machine/free-port.ts";
import { eventServer } from "../../testing/agents/event-server.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { KeptMemory } from "../intake/kept-memory.ts";
import { EventStream, type EventStreamOptions } from "./event-stream.ts";

afterEach(() => void vi.useRealTimers());

/** Entries are the data of the events; the memory holds the last id. */
const SPEC: EventsSource<Memory> = {
  path: "/event",
  parse: ({ data }) => ({ entries: [{ role: "assistant", kind: "text", text: data, tool: null }] }),
  resume: {
    lastId: ({ lastId }) => (typeof lastId === "string" ? lastId : null),
    remember: (id) => ({ lastId: id }),
  },
};

interface Bench extends Disposable {
  readonly stream: EventStream;
  readonly memory: KeptMemory;
  /** Each event that was taken, as its place and its text. */
  readonly taken: string[];
  readonly notices: string[];
  readonly logged: string[];
  /** Thrown once at the next piece. */
  fault: Error | undefined;
}

function newBench(
  options: Omit<EventStreamOptions, "spec"> & { spec?: EventsSource<Memory> },
  home?: string,
) {
  const folder = home === undefined ? tempFolder() : undefined;
  const memory = new KeptMemory(home ?? folder?.path ?? "");
  const logged: string[] = [];
  const bench: Omit<Bench, "stream"> = {
    memory,
    taken: [],
    notices: [],
    logged,
    fault: undefined,
    [Symbol.dispose]: () => {
      stream.stop();
      folder?.[Symbol.dispose]();
    },
  };
  const parsed = async (parse: (memory: Memory) => Parsed, place: { key: string } | null = null) => {
    const { fault } = bench;
    bench.fault = undefined;
    if (fault) throw fault;
    const piece = parse(memory.all);
    if (piece.memory) memory.merge(piece.memory);
    for (const { text } of piece.entries ?? []) bench.taken.push(`${place?.key ?? "-"} ${text}`);
  };
  const notice = async (_: string, text: string) => void bench.notices.push(text);
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const ports = { id: "s1", log, memory, intake: { parsed, notice } };
  const stream = new EventStream(ports, { spec: SPEC, ...options });
  return Object.assign(bench, { stream });
}

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

function send(response: ServerResponse, ...ids: readonly number[]): void {
  for (const id of ids) response.write(`id: ${id}\ndata: text ${id}\n\n`);
}

const lastIdOf = (request: IncomingMessage | undefined) => request?.headers["last-event-id"];

async function reaches(bench: Bench, ...texts: readonly string[]): Promise<void> {
  await vi.waitFor(() => expect(bench.taken).toEqual(texts), { timeout: 20_000, interval: 5 });
}

test("an event stream is read with the password of the launch, each event at a place of its own", async () => {
  await using http = await eventServer((_, response) => {
    open(response);
    send(response, 1, 2);
    response.write("data: without an id\n\n");
  });
  using bench = newBench(http);
  bench.stream.begin();
  await reaches(bench, "event-1 text 1", "event-2 text 2", "- without an id");
  expect(http.requests[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from("someone:a-password").toString("base64")}`,
    host: `127.0.0.1:${http.server.port}`,
  });
  expect(lastIdOf(http.requests[0])).toBeUndefined();
});

test("an event stream that was cut is resumed behind the last event, and nothing is read twice", async () => {
  await using http = await eventServer((request, response) => {
    open(response);
    const first = Number(lastIdOf(request) ?? 0) + 1;
    send(response, first, first + 1);
    // Half of an event is none.
    response.write(`id: ${first + 2}\ndata: ha`, () => (first < 5 ? response.destroy() : undefined));
  });
  using bench = newBench(http);
  bench.stream.begin();
  await reaches(bench, ...[1, 2, 3, 4, 5, 6].map((id) => `event-${id} text ${id}`));
  expect(http.requests.map(lastIdOf)).toEqual([undefined, "2", "4"]);
});

test("an event that could not be recorded is asked for again", async () => {
  await using http = await eventServer((request, response) => {
    open(response);
    send(response, Number(lastIdOf(request) ?? 0) + 1);
  });
  using bench = newBench(http);
  bench.fault = new Error("The disk is full.");
  bench.stream.begin();
  await reaches(bench, "event-1 text 1");
  expect(http.requests.map(lastIdOf)).toEqual([undefined, undefined]);
});

test("a later daemon resumes an event stream behind the last event that the earlier one had", async () => {
  using folder = tempFolder();
  await using http = await eventServer((request, response) => {
    open(response);
    send(response, Number(lastIdOf(request) ?? 0) + 1);
  });
  {
    using first = newBench(http, folder.path);
    first.stream.begin();
    await reaches(first, "event-1 text 1");
    await vi.waitFor(() => expect(first.memory.all).toEqual({ lastId: "1" }));
  }
  using second = newBench(http, folder.path);
  second.stream.begin();
  await reaches(second, "event-2 text 2");
});

test("what was missed is asked for at each connection, once it stands and before its events", async () => {
  await using http = await eventServer((request, response) => {
    if (request.url === "/status") return void response.end('{"state":"busy"}');
    open(response);
    const isFirst = lastIdOf(request) === undefined;
    send(response, isFirst ? 1 : 2);
    if (isFirst) response.end();
  });
  const status = {
    path: () => "/status",
    parse: (body: unknown): Parsed => ({
      entries: [{ role: "system", kind: "notice", text: JSON.stringify(body), tool: null }],
    }),
  };
  using bench = newBench({ server: http.server, spec: { ...SPEC, catchUp: [status] } });
  bench.stream.begin();
  const missed = '- {"state":"busy"}';
  await reaches(bench, missed, "event-1 text 1", missed, "event-2 text 2");
  expect(http.requests.map(({ url }) => url)).toEqual(["/event", "/status", "/event", "/status"]);
  bench.stream.refresh();
  await reaches(bench, missed, "event-1 text 1", missed, "event-2 text 2", missed);
});

test("what was missed is not taken from an answer that says it failed, but asked for again", async () => {
  let asked = 0;
  await using http = await eventServer((request, response) => {
    if (request.url !== "/status") return open(response);
    response.writeHead(asked++ === 0 ? 500 : 200).end(`{"asked":${asked}}`);
  });
  const parse = (body: unknown): Parsed => ({
    entries: [{ role: "system", kind: "notice", text: JSON.stringify(body), tool: null }],
  });
  using bench = newBench({
    server: http.server,
    spec: { ...SPEC, catchUp: [{ path: () => "/status", parse }] },
  });
  bench.stream.begin();
  await reaches(bench, '- {"asked":2}');
  expect(bench.logged.join("")).toContain("The server answers 500.");
});

test("events are not read from an answer that says it failed", async () => {
  await using http = await eventServer((_, response) => {
    response.writeHead(http.requests.length === 1 ? 503 : 200, { "content-type": "text/event-stream" });
    send(response, http.requests.length);
  });
  using bench = newBench(http);
  bench.stream.begin();
  await reaches(bench, "event-2 text 2");
});

test.each([401, 403])("a server that answers %i is not asked again, and a notice says so", async (status) => {
  await using http = await eventServer((_, response) => void response.writeHead(status).end());
  using bench = newBench(http);
  bench.stream.begin();
  await vi.waitFor(() => expect(bench.notices).toHaveLength(1));
  expect(bench.notices[0]).toMatch(/refuses Rollcall's password/);
  // It has come to its end: nothing is waited for.
  await bench.stream.readRest();
  expect(http.requests).toHaveLength(1);
  expect(bench.logged.join("")).not.toContain("a-password");
});

test("an event stream waits for a server that comes up late, and logs that once", async () => {
  const port = await freePort();
  using bench = newBench({ server: { port, user: "someone", password: "a-password" } });
  bench.stream.begin();
  await vi.waitFor(() => expect(bench.logged).toHaveLength(1));
  await using _ = await eventServer((__, response) => {
    open(response);
    send(response, 1);
  }, port);
  await reaches(bench, "event-1 text 1");
  expect(bench.logged).toHaveLength(1);
});

test("an event stream asks again where the server takes the connection and does not answer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const hung = Promise.withResolvers<void>();
  await using http = await eventServer((_, response) => {
    if (http.requests.length === 1) return hung.resolve();
    open(response);
    send(response, 1);
  });
  using bench = newBench(http);
  bench.stream.begin();
  await hung.promise;
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  await reaches(bench, "event-1 text 1");
  expect(bench.logged.join("")).toContain("did not answer within 5 s");
});

test("the rest of an event stream is read to its end when the agent has left, and no new one is opened", async () => {
  await using http = await eventServer((_, response) => {
    open(response);
    send(response, 1);
    setImmediate(() => {
      send(response, 2, 3);
      response.end();
    });
  });
  using bench = newBench(http);
  bench.stream.begin();
  await vi.waitFor(() => expect(bench.taken.length).toBeGreaterThan(0), { interval: 1 });
  await bench.stream.readRest();
  expect(bench.taken).toHaveLength(3);
  bench.stream.begin();
  expect(http.requests).toHaveLength(1);
});

test("an event stream that is still open and silent when the agent has left is not waited for", async () => {
  await using http = await eventServer((_, response) => {
    open(response);
    send(response, 1, 2);
  });
  using bench = newBench({ server: http.server, silentMs: 20 });
  bench.stream.begin();
  await reaches(bench, "event-1 text 1", "event-2 text 2");
  await bench.stream.readRest();
  expect(http.requests).toHaveLength(1);
});

test("an event stream that is stopped closes its connection and reads nothing more", async () => {
  const closed = Promise.withResolvers<void>();
  await using http = await eventServer((_, response) => {
    open(response);
    send(response, 1);
    void once(response, "close").then(() => closed.resolve());
  });
  using bench = newBench(http);
  bench.stream.begin();
  await reaches(bench, "event-1 text 1");
  bench.stream.stop();
  await closed.promise;
  bench.stream.begin();
  await bench.stream.readRest();
  expect(http.requests).toHaveLength(1);
});
