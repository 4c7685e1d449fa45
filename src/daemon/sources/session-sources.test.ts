import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import { eventServer } from "../../testing/agents/event-server.ts";
import { starting } from "../../testing/carried.ts";
import { markedProcess } from "../../testing/living-process.ts";
import { idle, useFakeTime } from "../../testing/session/fake-time.ts";
import { factsOf, type GivenFacts, keptIntake, keptLog } from "../../testing/session/ports.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { KeptMemory } from "../intake/kept-memory.ts";
import { SessionSources } from "./session-sources.ts";
import type { Source } from "./source.ts";

const MARKER = "c".repeat(32);
const FILE: NonNullable<Mode["sources"]["file"]> = {
  parse: ({ status }) => ({ memory: { status: status ?? null } }),
};

useFakeTime();

function sourcesOf(given: GivenFacts = {}) {
  const calls: string[] = [];
  const source = (name: string): Source => ({
    begin: () => void calls.push(`${name} begins`),
    catchUp: async () => void calls.push(`${name} catches up`),
    stop: () => void calls.push(`${name} stops`),
  });
  const full: Source = {
    ...source("transcript"),
    readRest: async () => void calls.push("transcript reads the rest"),
    refresh: () => void calls.push("transcript refreshes"),
  };
  const { taken, intake } = keptIntake();
  const sources = new SessionSources({
    ...factsOf({ ...given, launch: { marker: MARKER } }),
    ...keptLog(),
    intake,
    memory: new KeptMemory("/nowhere"),
    screen: source("screen"),
    transcript: full,
    transcriptFinder: source("finder"),
    subagents: source("sub-agents"),
  });
  return { sources, calls, taken, [Symbol.dispose]: () => sources.stop() };
}

test("every source of a session begins, catches up and stops, one after the other", async () => {
  const { sources, calls } = sourcesOf();
  sources.begin(starting());
  await sources.catchUp();
  sources.stop();
  const names = ["finder", "transcript", "screen", "sub-agents"];
  expect(calls).toEqual(
    ["begins", "catches up", "stops"].flatMap((what) => names.map((name) => `${name} ${what}`)),
  );
});

test("the rest of a session is read by those sources that have one, and then all catch up", async () => {
  const { sources, calls } = sourcesOf();
  await sources.readRest();
  expect(calls).toEqual([
    "transcript reads the rest",
    "finder catches up",
    "transcript catches up",
    "screen catches up",
    "sub-agents catches up",
  ]);
});

test("a state that is kept in a place of its own is read again by the source that has one", () => {
  const { sources, calls } = sourcesOf();
  sources.refresh();
  expect(calls).toEqual(["transcript refreshes"]);
});

test.each([
  ["and a folder for it", true, true],
  ["and no folder for it", true, false],
  ["not", false, true],
])("the live file of a mode that has one %s", async (_, isOffered, hasFolder) => {
  using folder = tempFolder();
  await using agent = await markedProcess(MARKER);
  using at = sourcesOf({
    mode: { sources: isOffered ? { file: FILE } : {} },
    agentPaths: { liveFiles: hasFolder ? folder.path : null },
  });
  const write = (status: string) =>
    writeFileSync(join(folder.path, `${agent.pid}.json`), JSON.stringify({ pid: agent.pid, status }));
  at.sources.begin(starting());
  write("idle");
  at.sources.refresh();
  if (isOffered && hasFolder) await at.taken.first(1);
  else await idle();
  const idleNow = { parsed: { memory: { status: "idle" } }, place: null };
  expect(at.taken.all).toEqual(isOffered && hasFolder ? [idleNow] : []);
  expect(vi.getTimerCount()).toBe(0);
});

test("the events of the agent's server are followed where the mode names them and there is a server", async () => {
  const asked = new Recorder<string | undefined>();
  await using at = await eventServer(({ url }, response) => {
    asked.add(url);
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  });
  const mode = { sources: { events: { path: "/events", parse: () => ({}) } } };
  using without = sourcesOf({ mode });
  without.sources.begin(starting());
  using following = sourcesOf({ mode, agentPaths: { server: at.server } });
  following.sources.begin(starting());
  expect(await asked.first(1)).toEqual(["/events"]);
});
