import { join } from "node:path";
import type { Parsed } from "../../agents/parsed.ts";
import { TranscriptReader } from "../../daemon/sources/transcript-reader.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { T0 } from "../events.ts";
import { useFakeTime } from "./fake-time.ts";
import type { GivenFacts } from "./ports.ts";
import { Recorder } from "./recorder.ts";
import { sessionPlace } from "./test-session.ts";

useFakeTime();

/** A transcript whose lines are what a parser finds in them. */
export async function transcriptPlace(given: Omit<GivenFacts, "folder"> = {}) {
  const parsed = new Recorder<string>();
  const parse = (line: string) => {
    const found = JSON.parse(line) as Parsed;
    parsed.add(textOf(found));
    return found;
  };
  const place = await sessionPlace({
    ...given,
    launch: { at: T0, ...given.launch },
    mode: {
      trust: ["transcript"],
      ...given.mode,
      capabilities: { tellsTurns: true, endsTurnsInTranscript: true, ...given.mode?.capabilities },
      sources: { transcript: { parse } },
    },
  });
  const path = join(place.folder, "transcript.jsonl");
  const readers: TranscriptReader[] = [];
  return {
    path,
    parsed,
    context: place.context,
    folder: place.folder,
    /** A daemon that follows the session, and reads its transcript from now on. */
    reader: (more: Omit<GivenFacts, "folder"> = {}) => {
      const session = place.daemon({ ...more, agentPaths: { transcript: path, ...more.agentPaths } });
      const reader = new TranscriptReader(session);
      readers.push(reader);
      return { session, reader };
    },
    [Symbol.asyncDispose]: async () => {
      for (const reader of readers) reader.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

export function textOf({ entries, signal }: Parsed): string {
  return entries?.[0]?.text ?? signal?.rule ?? "";
}

export const line = (...all: readonly Parsed[]) => all.map((each) => `${JSON.stringify(each)}\n`).join("");
export const says = (text: string, role: "user" | "assistant" = "assistant"): Parsed => ({
  entries: [{ role, kind: "text", text, tool: null }],
});
export const signal = (rule: string, says: "working" | "ready" = "working"): Signal => ({
  source: "transcript",
  rule,
  excerpt: null,
  says,
});
