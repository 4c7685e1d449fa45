import { exitCodeOf } from "../../domain/errors.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { describeError, type Output } from "./output.ts";
import { redacted } from "./redacted.ts";

/** The work of a command on each of the sessions that it was given. */
export interface Each<T> {
  readonly work: (sessionId: string) => Promise<{ readonly result: T; readonly code: number }>;
  readonly describe: (result: T) => string;
}

/**
 * Returns the worst exit code. One that fails does not stop the others; programs get `results` with one element for
 * each session, also where there is one only.
 */
export async function forEach<T>(
  rollcall: Rollcall,
  output: Output,
  references: readonly string[],
  { work, describe }: Each<T>,
): Promise<number> {
  const done = await Promise.all(references.map((reference) => attempt(rollcall, reference, work)));
  if (output.isJson) output.json({ results: await Promise.all(done.map(wireOf)) });
  else
    for (const each of done)
      if ("result" in each) output.line(describe(each.result));
      else await output.error(each.error);
  return Math.max(0, ...done.map(({ code }) => code));
}

type Attempt<T> =
  | { readonly result: T; readonly code: number }
  | { readonly sessionId: string; readonly error: unknown; readonly code: number };

async function attempt<T>(rollcall: Rollcall, reference: string, work: Each<T>["work"]): Promise<Attempt<T>> {
  let sessionId = reference;
  try {
    sessionId = await rollcall.resolve(reference);
    return await work(sessionId);
  } catch (error) {
    return { sessionId, error, code: exitCodeOf(error) };
  }
}

async function wireOf<T>(each: Attempt<T>): Promise<unknown> {
  if ("result" in each) return each.result;
  return redacted({ sessionId: each.sessionId, error: describeError(each.error) });
}
