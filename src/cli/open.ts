import { createHider } from "../domain/redact/redact.ts";
import type { OpenOptions } from "../record/open.ts";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import type { Output } from "./framework/output.ts";

/** For a command that makes a record or a verdict by the settings of the project, which must be readable then. */
export const BY_PROJECT: OpenOptions = { isProjectOptional: false };

/**
 * The store for the length of one command. A project's settings that cannot be read are passed over with a warning, so
 * that a file in a workspace keeps nobody from seeing and ending what runs there. Its files are brought up to date also when the command fails; the
 * connection goes with the process, because closing it would move the journal into the database, five times the
 * work of what most commands do.
 */
export async function withRollcall<T>(
  output: Output,
  work: (rollcall: Rollcall) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const rollcall = await openRollcall({
    channel: "cli",
    isAsking: true,
    isProjectOptional: true,
    warn: (sentence) => output.warn(sentence),
    ...options,
  });
  output.hide = createHider(rollcall.context.secrets);
  try {
    return await work(rollcall);
  } finally {
    await rollcall.context.files.flush();
  }
}

/** The same for a command on one session, whichever way it was named. */
export async function withSession<T>(
  output: Output,
  reference: string,
  work: (rollcall: Rollcall, id: string) => Promise<T>,
): Promise<T> {
  return withRollcall(output, async (rollcall) => work(rollcall, await rollcall.resolve(reference)));
}
