import { join } from "node:path";
import pino from "pino";
import type { Agent } from "../../agents/agent.ts";
import { command } from "../../agents/command/adapter.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import { OutsideSession } from "../../daemon/outside/outside-session.ts";
import type { Services } from "../../daemon/services.ts";
import type { EventBody } from "../../domain/session/event.ts";
import { createObserved } from "../../record/create.ts";
import { tempWorld } from "../temp-rollcall.ts";
import { useFakeTime } from "./fake-time.ts";
import { Recorder } from "./recorder.ts";

useFakeTime();

/** A session that someone started without Rollcall, whose lines and hooks are what a parser finds in them. */
export async function outsidePlace() {
  const world = tempWorld();
  const rollcall = await world.open({ now: () => Date.now() });
  const { context } = rollcall;
  const evidence = { source: "file", rule: "seen_outside", excerpt: null } as const;
  const id = await createObserved(context, { agentType: "unknown", nativeId: "n", evidence });
  const committed = new Recorder<EventBody>();
  const remembered = new Recorder<Memory>();
  const { store } = context;
  const change: typeof store.change = async (...args) => {
    const done = await store.change(...args);
    for (const { body } of done.events) committed.add(body);
    return done;
  };
  const kept = Object.assign(Object.create(store) as typeof store, { change });
  const services = {
    context: { ...context, store: kept },
    log: pino({ enabled: false }),
    observations: { msToTick: 0, note: async () => {} },
  } as unknown as Services;
  const parse = (text: string, memory: Memory) => {
    remembered.add(memory);
    return JSON.parse(text) as Parsed;
  };
  const agent: Agent = {
    ...command,
    outside: {
      sources: { transcript: { parse } },
      trust: ["hook", "transcript"],
      places: () => ({ liveFiles: null, transcripts: world.home }),
      ofTranscript: () => undefined,
    },
  };
  const session = new OutsideSession(services, { id, agent, nativeId: "n", process: null });
  return {
    session,
    committed,
    /** The memory of the transcript's parser at each line. */
    remembered,
    path: (name: string) => join(world.workspace, name),
    turn: async () => (await store.findRow(id))?.turn,
    /** The states that were told, each as its event and rule. */
    get states(): string[] {
      return committed.all.flatMap((body) =>
        "evidence" in body ? [`${body.kind} ${body.evidence?.rule}`] : [],
      );
    },
    /** Resolves once this text is in the record. */
    said: async (text: string) =>
      committed.through((body) => body.kind === "entry_added" && body.entry.text === text),
    [Symbol.asyncDispose]: async () => {
      session.stop();
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}
