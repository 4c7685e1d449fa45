import { RollcallError } from "../../domain/errors.ts";
import { type ResumeVerdict, refuse } from "../../domain/session/resume.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { redacted } from "../framework/redacted.ts";
import { type Freshness, freshen } from "../freshen.ts";
import { BY_PROJECT, withRollcall } from "../open.ts";

interface Answer {
  readonly verdict: ResumeVerdict;
  readonly sessionId: string;
  readonly freshness: Freshness;
}

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Tells whether work on a session can go on, why, and how. Exits 0 for yes and 1 for no. Nothing is changed.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall should-resume a1b2c3", "yes or no, with the reason"],
    ["rollcall should-resume a1b2c3 && echo go on", "in a script"],
  ],
  async run(input, output) {
    const { verdict, sessionId, freshness } = await ask(output, input.words[0] as string);
    if (output.isJson) output.json({ ...verdict, sessionId, ...freshness });
    else output.line(verdict.resume ? `yes: ${verdict.reason} (${verdict.how})` : `no: ${verdict.reason}`);
    return verdict.resume ? 0 : 1;
  },
};

async function ask(output: Output, reference: string): Promise<Answer> {
  try {
    return await withRollcall(
      output,
      async (rollcall) => {
        const freshness = await freshen(rollcall, output);
        const sessionId = await rollcall.resolve(reference);
        return { sessionId, verdict: await rollcall.shouldResume(sessionId), freshness };
      },
      BY_PROJECT,
    );
  } catch (error) {
    return { sessionId: await redacted(reference), verdict: refusalOf(error), freshness: {} };
  }
}

/** Every session has an answer, also one that is not there or cannot be read; wrong input is still wrong input. */
function refusalOf(error: unknown): ResumeVerdict {
  if (!(error instanceof RollcallError)) throw error;
  if (error.code === "session_not_found") return refuse("session_not_found");
  if (error.code.startsWith("store_")) return refuse("unavailable");
  throw error;
}
