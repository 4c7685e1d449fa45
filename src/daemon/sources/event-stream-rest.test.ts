import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Memory } from "../../agents/parsed.ts";
import type { EventsSource } from "../../agents/sources.ts";
import { eventServer } from "../../testing/agents/event-server.ts";
import { idle, pass, settle, useFakeTime } from "../../testing/session/fake-time.ts";
import { keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { EventStream } from "./event-stream.ts";

useFakeTime();

const SILENT_MS = 5000;
const SPEC: EventsSource<Memory> = { path: "/event", parse: () => ({}) };

/** A stream that the test sends events on, of an agent that has left. */
async function restPlace() {
  const opened = Promise.withResolvers<ServerResponse>();
  const http = await eventServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    opened.resolve(response);
  });
  const taken = new Recorder<string>();
  const stream = new EventStream(
    {
      ...{ id: "s", log: keptLog().log },
      intake: { parsed: async (_, place) => taken.add(place?.key ?? ""), notice: async () => {} },
      memory: { all: {}, merge: () => {}, together: async (work) => work() },
    },
    { spec: SPEC, server: http.server },
  );
  stream.begin();
  const response = await opened.promise;
  const settled = new Recorder<string>();
  return {
    ...{ taken, settled, response },
    send: async (id: number) => {
      response.write(`id: ${id}\ndata: x\n\n`);
      await taken.through((key) => key === `event-${id}`);
    },
    readRest: () => void stream.readRest().then(() => settled.add("read")),
    [Symbol.asyncDispose]: async () => {
      stream.stop();
      await http[Symbol.asyncDispose]();
    },
  };
}

test("events that come after the agent has left are read until the stream ends", async () => {
  await using at = await restPlace();
  at.readRest();
  await at.send(1);
  expect(at.settled.all).toEqual([]);
  at.response.end();
  await settle(at.settled.first(1));
  expect(at.taken.all).toEqual(["event-1"]);
});

test("a stream that goes on after the agent has left is read until it is silent for 5 s", async () => {
  await using at = await restPlace();
  await at.send(1);
  at.readRest();
  await pass(SILENT_MS - 1);
  await at.send(2);
  await pass(1);
  await idle();
  expect(at.settled.all).toEqual([]);
  await pass(SILENT_MS - 1);
  await idle();
  expect(at.settled.all).toEqual([]);
  await pass(1);
  await at.settled.first(1);
  expect(at.taken.all).toEqual(["event-1", "event-2"]);
});
