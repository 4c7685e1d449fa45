import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "../../agents/agent.ts";
import { Observations } from "../../daemon/feed/observations.ts";
import { OutputSlices } from "../../daemon/intake/output-slices.ts";
import { LiveFactsWriter } from "../../daemon/session/live-facts-writer.ts";
import { Follower } from "../../daemon/sources/follower.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { HolderExit } from "../../host/holder-files.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { exitOf } from "../carried.ts";
import { T1 } from "../events.ts";
import { FakeHolder } from "./fake-holder.ts";
import { idle, useFakeTime } from "./fake-time.ts";
import { configOf, type GivenFacts } from "./ports.ts";
import { sessionPlace } from "./test-session.ts";

useFakeTime();

/** Reports say what the agent does; a title that it works. */
const terminal: NonNullable<Mode["sources"]["terminal"]> = {
  report: ({ state }) => {
    if (state === undefined) return {};
    const says = state === "idle" ? "ready" : "working";
    return { signal: { source: "terminal", rule: state, excerpt: null, says } };
  },
  title: (title) => ({ signal: { source: "terminal", rule: title, excerpt: null, says: "working" } }),
};

export async function followed(given: Omit<GivenFacts, "folder"> = {}) {
  const place = await sessionPlace({
    ...given,
    mode: {
      sources: { terminal },
      trust: ["terminal"],
      ...given.mode,
      capabilities: { isReadyAtExec: false, outputIsTranscript: false, tellsTurns: true },
    },
  });
  const recordings = join(place.folder, "recordings");
  mkdirSync(recordings);
  const holder = await FakeHolder.in(place.folder);
  const session = place.daemon();
  const { store } = place.context;
  const observations = new Observations({ store, redact: (value) => value, publish: () => {} });
  const { id, log, activity, asked } = session;
  const liveFacts = new LiveFactsWriter({ id, log, now: () => Date.now(), observations, activity });
  const ports = Object.assign(session, {
    config: configOf(),
    places: { recordings },
    snapshots: new SerialQueue(),
    slices: new OutputSlices(),
    leftovers: {
      of: async () => {
        asked.add("leftovers");
        return [];
      },
    },
    liveFacts,
    pausing: { holds: async () => asked.add("holds") },
    lookAtTree: () => asked.add("tree"),
    screen: { now: async () => undefined, changed: () => asked.add("screen") },
  });
  const follower = new Follower(ports);
  Object.assign(session, { holder: follower });
  /** Everything but the process, by name. */
  const observed = async (last: (each: Observation) => boolean) => {
    const all = await session.observed.through(last);
    return all.flatMap((each) => (each.saw === "signal" ? [each.signal.rule] : [each.saw])).slice(1);
  };
  return {
    ...{ place, session, holder, follower, observed, recordings },
    signalled: (rule: string) => observed((each) => each.saw === "signal" && each.signal.rule === rule),
    saw: (name: Observation["saw"]) => observed((each) => each.saw === name),
    [Symbol.asyncDispose]: async () => {
      await follower.letGo();
      await holder[Symbol.asyncDispose]();
      await idle();
      await place[Symbol.asyncDispose]();
    },
  };
}

export const exit = (state: "ending" | "empty" | "kept" | "blocked"): HolderExit => {
  const told = exitOf(0, state);
  return { version: 1, ...told, agent: { ...told.agent, signal: null }, tree: { ...told.tree, at: T1 } };
};

export function recorded(recordings: string): string {
  const folder = join(recordings, "s");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}
