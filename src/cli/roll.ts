import type { SessionRecord } from "../domain/session.ts";
import { isLive } from "../domain/state.ts";
import { plural } from "./format.ts";
import { withRollcall } from "./open.ts";
import type { Output } from "./output.ts";
import { usage } from "./parse.ts";
import { answerCommands, nameToCall, optionsOf, questionOf } from "./request.ts";
import { isAsking, isWaiting, type RollRow, rollOrder } from "./roll-order.ts";
import { rollColumns } from "./show.ts";
import { paint, table } from "./table.ts";
import { cut, printable, widthOf } from "./text.ts";

const OPTIONS = ["--json", "--all"];
const INDENT = "    ";

/** The roll: sessions that live, those waiting for a person first. */
export async function showRoll(args: readonly string[], output: Output): Promise<number> {
  const unknown = args.find((arg) => !OPTIONS.includes(arg));
  if (unknown !== undefined) throw usage(`${unknown} is not an option of the roll.`, "");
  return withRollcall(output, async (rollcall) => {
    const all = await Array.fromAsync(rollcall.list({ activeOnly: !args.includes("--all") }));
    const rows = rollOrder(all);
    if (output.isJson) output.json({ sessions: rows.map(({ session }) => session), nextCursor: null });
    else output.line(describeRoll(rows, output.width));
    return 0;
  });
}

export function describeRoll(rows: readonly RollRow[], width: number): string {
  if (rows.length === 0) return ["No live sessions.", "", ...nextSteps(width)].join("\n");
  const sessions = rows.map(({ session }) => session);
  const [header = "", ...lines] = table(rows, rollColumns(Date.now()), { width, header: true });
  const body = rows.flatMap(({ session }, index) => [
    lines[index] as string,
    ...(isWaiting(session) ? requestLines(session, sessions, width) : []),
  ]);
  return [paint("bold", countOf(sessions)), "", header, ...body, "", ...nextSteps(width)].join("\n");
}

function countOf(sessions: readonly SessionRecord[]): string {
  const live = sessions.filter(({ state }) => isLive(state)).length;
  const waiting = sessions.filter(isWaiting).length;
  return [
    plural(sessions.length, live < sessions.length ? "session" : "live session"),
    ...(live < sessions.length ? [`${live} of them live`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for you`] : []),
  ].join(", ");
}

/** What it asks, and how to answer it. */
function requestLines(
  session: SessionRecord,
  others: readonly SessionRecord[],
  width: number,
): readonly string[] {
  const room = width - INDENT.length;
  const asks = isAsking(session)
    ? [questionOf(session), ...beside(optionsOf(session), room)].map((line) => cut(printable(line), room))
    : [];
  const commands = answerCommands(session, nameToCall(session, others));
  const answers = onOneLine(commands, " or ", room).map((line) => paint("cyan", line));
  return [...asks, ...answers].map((line) => INDENT + line);
}

/** On one line where there is room, else each on its own. */
function onOneLine(parts: readonly string[], between: string, width: number): readonly string[] {
  const line = parts.join(between);
  return parts.length === 0 || widthOf(line) <= width ? [line].filter(Boolean) : parts;
}

function beside(parts: readonly string[], width: number): readonly string[] {
  return onOneLine(parts.map(printable), "   ", width);
}

const START = ["Start one: rollcall start scripted", "or any command: rollcall start -- COMMAND…"];
const MORE = ["Live: rollcall top", "One: rollcall get ID", "All: rollcall list", "Help: rollcall --help"];

function nextSteps(width: number): string[] {
  return [...beside(START, width), ...beside(MORE, width)];
}
