import { RollcallError } from "../domain/errors.ts";
import { checkReference, isSuffix } from "../domain/session/id.ts";
import { isCarriedLive } from "../domain/session/name.ts";
import type { Referenced } from "../store/store.ts";
import type { Context } from "./context.ts";

/**
 * The full id that a person means: an id, the six digits that tables show, a name (of a live session that Rollcall
 * carries, else of the newest record), `last` for the newest, `self` inside a session. Never a prefix.
 */
export async function resolveReference(context: Context, text: string): Promise<string> {
  checkReference(text, "id");
  if (text === "self") return ownId(context);
  if (text === "last") return (await context.store.newest()) ?? notFound(text);
  if (await exists(context, text)) return text;
  const bySuffix = isSuffix(text) ? await context.store.findByReference({ suffix: text }) : [];
  if (bySuffix.length > 0) return only(text, bySuffix);
  const byName = await context.store.findByReference({ name: text });
  const carried = byName.filter(isCarriedLive);
  if (carried.length > 0) return only(text, carried);
  return byName[0]?.id ?? notFound(text);
}

/** A damaged record still has its id. */
async function exists(context: Context, id: string): Promise<boolean> {
  try {
    return (await context.store.find(id)) !== undefined;
  } catch (error) {
    if (error instanceof RollcallError && error.code === "corrupt") return true;
    throw error;
  }
}

function ownId(context: Context): string {
  const id = context.env.ROLLCALL_SESSION_ID;
  if (id) return id;
  throw new RollcallError(
    "not_inside_session",
    "`self` means the session around this command, and there is none.",
    {
      hint: "Name the session instead.",
    },
  );
}

function only(text: string, candidates: readonly Referenced[]): string {
  const [first, ...others] = candidates;
  if (first && others.length === 0) return first.id;
  throw new RollcallError("ambiguous_id", `${JSON.stringify(text)} means ${candidates.length} sessions.`, {
    hint: `Say which: ${candidates.map(({ id }) => id).join(", ")}.`,
    facts: { candidates: candidates.map(({ id }) => id) },
  });
}

function notFound(text: string): never {
  throw new RollcallError("session_not_found", `There is no session ${JSON.stringify(text)}.`, {
    hint: "See `rollcall list`.",
    facts: { reference: text },
  });
}
