import type { Mode } from "../../agents/agent.ts";
import { Input } from "../../daemon/session/input.ts";
import { launched, said } from "../carried.ts";
import { useFakeTime } from "./fake-time.ts";
import type { GivenFacts } from "./ports.ts";
import { type SessionPlace, sessionPlace, type TestSession } from "./test-session.ts";

useFakeTime();

export const controls: Mode["controls"] = {
  say: (_, text) => ({ via: "lines", lines: [text] }),
  approve: () => undefined,
  deny: () => undefined,
  answer: () => undefined,
  interrupt: () => undefined,
  stop: () => undefined,
};

/** An agent that tells its turns and takes a text as a line. */
export const AGENT: Omit<GivenFacts, "folder"> = {
  launch: { tellsTurns: true },
  mode: {
    controls,
    capabilities: { tellsTurns: true, isReadyAtExec: false, confirmsInput: true, outputIsTranscript: false },
  },
};

export interface At extends AsyncDisposable {
  readonly place: SessionPlace;
  readonly session: TestSession;
  readonly input: Input;
}

/** A session at its prompt, whose input follows every change as in the daemon. */
export async function atPrompt(given: Omit<GivenFacts, "folder"> = AGENT): Promise<At> {
  const at = await begun(given);
  for (const each of [launched(), said("good")]) await at.session.observe(each);
  return at;
}

export async function begun(given: Omit<GivenFacts, "folder"> = AGENT): Promise<At> {
  const place = await sessionPlace(given);
  const { session, input } = carry(place);
  return {
    place,
    session,
    input,
    [Symbol.asyncDispose]: async () => {
      input.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

export function carry(place: SessionPlace) {
  const session = place.daemon();
  const input = new Input(session);
  session.follow = (row) => input.follow(row);
  return { session, input };
}

export const BY_CLI = { channel: "cli" } as const;
