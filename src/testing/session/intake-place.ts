import type { Parsed } from "../../agents/parsed.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { launched } from "../carried.ts";
import { useFakeTime } from "./fake-time.ts";
import type { GivenFacts } from "./ports.ts";
import { sessionPlace, type TestSession } from "./test-session.ts";

useFakeTime();

/** The intake of a session that is launched, over a real store. */
export async function intakePlace(given: Omit<GivenFacts, "folder"> = {}) {
  const place = await sessionPlace({ mode: { trust: ["terminal", "hook"] }, ...given });
  const session: TestSession = place.daemon();
  await session.observe(launched());
  const events = async () => (await place.context.store.events("s")).map(({ body }) => body.kind);
  return {
    place,
    session,
    intake: session.intake,
    events,
    [Symbol.asyncDispose]: async () => {
      session.intake.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

export const says = (text: string): Parsed => ({
  entries: [{ role: "assistant", kind: "text", text, tool: null }],
});
export const WORKING: Signal = { source: "terminal", rule: "report", excerpt: null, says: "working" };
export const READY: Signal = { source: "terminal", rule: "report", excerpt: null, says: "ready" };
