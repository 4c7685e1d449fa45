import { isLive } from "../domain/session/state.ts";
import { toInstant } from "../domain/time.ts";
import { describeRoll } from "../present/roll.ts";
import { endedLately, LATELY_MS, type RollRow, rollOrder } from "../present/roll-order.ts";
import type { Rollcall } from "../record/rollcall.ts";
import type { Output } from "./framework/output.ts";
import { usage } from "./framework/parse.ts";
import { freshenRoll } from "./freshen.ts";
import { withRollcall } from "./open.ts";
import { paint } from "./table.ts";
import { terminalsOf } from "./terminals.ts";

/** More of those that ended lately are counted, not shown. */
const MOST_ENDED = 20;
const OPTIONS = ["--json", "--all"];

/** The roll: sessions that live, those waiting for a person first, and those that ended a short time ago. */
export async function showRoll(args: readonly string[], output: Output): Promise<number> {
  const unknown = args.find((arg) => !OPTIONS.includes(arg));
  if (unknown !== undefined) throw usage(`${unknown} is not an option of the roll.`, "");
  return withRollcall(output, async (rollcall) => {
    const freshness = await freshenRoll(rollcall, output);
    const now = rollcall.context.now();
    const isAll = args.includes("--all");
    const rows = isAll ? rollOrder(await Array.fromAsync(rollcall.list())) : await rollRows(rollcall, now);
    if (output.isJson)
      output.json({ sessions: rows.map(({ session }) => session), nextCursor: null, ...freshness });
    else output.line(describe(rows, { width: output.width, now, isAll }));
    return 0;
  });
}

function describe(
  all: readonly RollRow[],
  { width, now, isAll }: { readonly width: number; readonly now: number; readonly isAll: boolean },
): string {
  const live = all.filter(({ session }) => isLive(session.state)).length;
  const rows = isAll ? all : all.slice(0, live + MOST_ENDED);
  const terminals = terminalsOf(rows.map(({ session }) => session));
  return describeRoll(rows, { width, now, paint, terminals, left: all.length - rows.length });
}

async function rollRows(rollcall: Rollcall, now: number): Promise<RollRow[]> {
  const live = await Array.fromAsync(rollcall.list({ activeOnly: true }));
  // An end is activity, so that nothing that ended since is left out.
  const lately = await Array.fromAsync(rollcall.list({ since: toInstant(now - LATELY_MS) }));
  return [...rollOrder(live), ...endedLately(lately, now).map((session) => ({ session, depth: 0 }))];
}
