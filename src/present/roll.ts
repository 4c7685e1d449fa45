import type { SessionRecord } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { plural } from "./format.ts";
import { answerCommands, nameToCall } from "./request.ts";
import { askedLines, beside, onOneLine } from "./request-lines.ts";
import { isAsking, isWaiting, type RollRow } from "./roll-order.ts";
import { isOutside, placeOutside, type Terminals } from "./session-cells.ts";
import { sessionColumns } from "./session-columns.ts";
import { layOut, type Paint } from "./table.ts";
import { cut, printable } from "./text.ts";
import { turnError } from "./turn.ts";

const INDENT = "    ";

export interface Look {
  readonly width: number;
  readonly now: number;
  readonly paint: Paint;
  /** The terminals of sessions outside, by id. */
  readonly terminals?: Terminals;
  /** How many more ended lately than there are rows for. */
  readonly left?: number;
}

/** The roll for people: a row for each session, below it what it asks and how to answer that. */
export function describeRoll(rows: readonly RollRow[], look: Look): string {
  const { width, paint, left = 0 } = look;
  if (rows.length === 0) return ["No live sessions.", "", ...nextSteps(width)].join("\n");
  const sessions = rows.map(({ session }) => session);
  const columns = sessionColumns(rows, { ...look, asksInRow: false });
  const [header = "", ...lines] = layOut(rows, columns, { width, header: true, paint });
  const body = rows.flatMap(({ session }, index) => [
    lines[index] as string,
    ...linesBelow(session, sessions, look).map((line) => INDENT + line),
  ]);
  const more = left === 0 ? [] : [`${left} more ended lately: rollcall list --since 10m`];
  return [paint("bold", countOf(sessions, left)), "", header, ...body, ...more, "", ...nextSteps(width)].join(
    "\n",
  );
}

function countOf(sessions: readonly SessionRecord[], left: number): string {
  const live = sessions.filter(({ state }) => isLive(state)).length;
  const waiting = sessions.filter(isWaiting).length;
  const unknown = sessions.filter(({ state }) => state === "unknown").length;
  const ended = sessions.length - live - unknown + left;
  return [
    live === 0 ? "No live sessions" : plural(live, "live session"),
    ...(waiting > 0 ? [`${waiting} waiting for you`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(ended > 0 ? [`${ended} ended`] : []),
  ].join(", ");
}

/** Lines below a row: its error, its question, and how to go on. */
function linesBelow(session: SessionRecord, others: readonly SessionRecord[], look: Look): readonly string[] {
  if (isSilent(session)) return [look.paint("cyan", `rollcall explain ${nameToCall(session, others)}`)];
  if (!isLive(session.state)) return [];
  const room = look.width - INDENT.length;
  const error = turnError(session);
  const asks = isAsking(session) ? askedLines(session, room) : [];
  const commands = answerCommands(session, nameToCall(session, others));
  const answers = onOneLine(commands, " or ", room).map((line) => look.paint("cyan", line));
  return [...failed(error, room, look.paint), ...asks, ...answers, ...answeredElsewhere(session, look)];
}

/** Its process runs, and it may show something yet. */
function isSilent({ state, endReason }: SessionRecord): boolean {
  return state === "unknown" && endReason === "not_ready";
}

function failed(error: string | null, width: number, paint: Paint): readonly string[] {
  return error === null ? [] : [paint("red", cut(printable(`Its last turn failed: ${error}`), width))];
}

/** One outside can only be answered where it runs. */
function answeredElsewhere(session: SessionRecord, { terminals = new Map() }: Look): readonly string[] {
  if (!isOutside(session) || !isWaiting(session)) return [];
  const place = placeOutside(session, terminals);
  return [`Answer it where it runs${place === null ? "" : ` (${place})`}.`];
}

const START = ["Start one: rollcall start scripted", "or any command: rollcall start -- COMMAND…"];
const MORE = ["Live: rollcall top", "One: rollcall get ID", "All: rollcall list", "Help: rollcall --help"];

function nextSteps(width: number): string[] {
  return [...beside(START, width), ...beside(MORE, width)];
}
