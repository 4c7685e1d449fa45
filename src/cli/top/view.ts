import { stripVTControlCharacters } from "node:util";
import type { SessionRecord } from "../../domain/session.ts";
import { isLive } from "../../domain/state.ts";
import { agentOf, count, duration, money, shortId, UNKNOWN } from "../format.ts";
import { answerCommands, nameToCall, optionsOf, questionOf } from "../request.ts";
import { isAsking, isWaiting, type RollRow } from "../roll-order.ts";
import { nested, STATE_STYLES, stateOf } from "../show.ts";
import { type Column, paint, table } from "../table.ts";
import { cut, padTo, printable, widthOf } from "../text.ts";
import { nameOf } from "./deeds.ts";
import type { Size } from "./screen.ts";

export interface View {
  readonly rows: readonly RollRow[];
  readonly selected: string | undefined;
  readonly isDaemonRunning: boolean;
  /** Lines that whoever started it wants shown. */
  readonly note: string | undefined;
  /** What came of the last key, or the question before an end. */
  readonly message: string | undefined;
  readonly now: number;
}

/** The most needed first: what has no room is left out. */
const KEYS = "q quit  ↑↓ select  Enter attach  n next  a approve  d deny  1-9 answer  e end";
/** A table shorter than this shows too little: what is said of one session gives way to it. */
const FEWEST_ROWS = 4;
/** Only below this is a state cut. */
const NARROW = 60;
const MARK = "▸";

/** What is on the screen, a line for each row of it. */
export function frameOf(view: View, { cols, rows }: Size): string[] {
  const head = [titleOf(view, cols), ...noteOf(view, cols), ""];
  const foot = [messageOf(view, cols), paint("dim", cut(` ${KEYS}`, cols))];
  const room = rows - head.length - foot.length - 1;
  const wanted = detailOf(view, cols);
  const spare = Math.max(0, room - Math.min(view.rows.length, FEWEST_ROWS) - 1);
  const detail = spare < 3 ? [] : wanted.slice(0, spare);
  const body = bodyOf(view, cols, room - detail.length);
  const gap = Array.from({ length: Math.max(0, room + 1 - body.length - detail.length) }, () => "");
  return [...head, ...body, ...gap, ...detail, ...foot].slice(0, rows);
}

function titleOf({ rows, isDaemonRunning }: View, cols: number): string {
  const sessions = rows.map(({ session }) => session);
  const asking = sessions.filter(isAsking).length;
  const atPrompt = sessions.filter(isWaiting).length - asking;
  const counts = [
    `${sessions.filter(({ state }) => isLive(state)).length} live`,
    ...(asking > 0 ? [`${asking} ask${asking === 1 ? "s" : ""} you`] : []),
    ...(atPrompt > 0 ? [`${atPrompt} at a prompt`] : []),
  ].join(", ");
  const left = ` rollcall  ${counts}`;
  const right = isDaemonRunning ? "" : "THE DAEMON DOES NOT RUN ";
  const line = padTo(cut(left, cols), Math.max(cols - widthOf(right), 0));
  return paint("bold", line) + paint(["bold", "red"], right);
}

function noteOf({ note = "" }: View, cols: number): string[] {
  const lines = note.split("\n").filter((line) => line !== "");
  return lines.map((line) => cut(` ${printable(line)}`, cols));
}

function bodyOf(view: View, cols: number, room: number): string[] {
  if (view.rows.length === 0)
    return ["", " No live sessions. Start one in another terminal: rollcall start scripted"].map((line) =>
      cut(line, cols),
    );
  const [header = "", ...lines] = table(view.rows, columnsOf(view, cols), { width: cols, header: true });
  const at = view.rows.findIndex(({ session }) => session.id === view.selected);
  const fits = Math.max(room - 1, 1);
  const first = Math.min(Math.max(0, at - Math.floor(fits / 2)), Math.max(0, lines.length - fits));
  const shown = lines.map((line, index) => (index === at ? highlighted(line, cols) : line));
  return [header, ...shown.slice(first, first + fits)];
}

/** Across the whole width; colours inside would end it. */
function highlighted(line: string, cols: number): string {
  return paint("inverse", padTo(stripVTControlCharacters(line), cols));
}

function columnsOf({ now, selected }: View, cols: number): Column<RollRow>[] {
  const dim = ({ session }: RollRow) => (isLive(session.state) ? undefined : "dim");
  return [
    { title: " ", text: ({ session }) => (session.id === selected ? MARK : " ") },
    { title: "ID", text: ({ session }) => shortId(session.id), isFlexible: true, style: dim },
    { title: "NAME", text: (row) => nested(row, row.session.name ?? UNKNOWN), isFlexible: true, style: dim },
    {
      title: "STATE",
      text: ({ session }) => endedOf(session),
      isFlexible: cols < NARROW,
      style: ({ session }) => STATE_STYLES[session.state],
    },
    {
      title: "FOR",
      text: ({ session }) => duration(Math.max(0, now - Date.parse(session.stateSince))),
      isRight: true,
      isOptional: true,
    },
    {
      title: "ABOUT",
      text: ({ session }) => aboutOf(session),
      isFlexible: true,
      isOptional: true,
      style: dim,
    },
    {
      title: "AGENT",
      text: ({ session }) => agentOf(session),
      isFlexible: true,
      isOptional: true,
      style: dim,
    },
    {
      title: "TOKENS",
      text: ({ session }) => count(session.usage.tokensTotal),
      isRight: true,
      isOptional: true,
    },
    { title: "COST", text: ({ session }) => money(session.usage.costUsd), isRight: true, isOptional: true },
  ];
}

function endedOf(session: SessionRecord): string {
  const how = session.exitSignal ?? (session.exitCode ? `exit ${session.exitCode}` : null);
  return isLive(session.state) || how === null ? stateOf(session) : `${session.state} (${how})`;
}

function aboutOf(session: SessionRecord): string {
  return isAsking(session) ? questionOf(session) : (session.goal ?? session.purpose ?? UNKNOWN);
}

/** What the selected session asks, and how to answer it. */
function detailOf({ rows, selected }: View, cols: number): string[] {
  const sessions = rows.map(({ session }) => session);
  const session = sessions.find(({ id }) => id === selected);
  if (!session) return [];
  const who = nameToCall(session, sessions);
  const lines = [
    ...(isAsking(session) ? [questionOf(session), optionsOf(session).join("   ")] : []),
    ...commandsFor(session, who),
  ];
  return [
    "",
    paint("dim", ruleWith(nameOf(session), cols)),
    ...lines.filter(Boolean).map((line) => cut(` ${printable(line)}`, cols)),
  ];
}

function ruleWith(title: string, cols: number): string {
  const line = cut(`── ${printable(title)} `, cols);
  return line + "─".repeat(Math.max(0, cols - widthOf(line)));
}

function commandsFor(session: SessionRecord, who: string): readonly string[] {
  if (isWaiting(session)) return [answerCommands(session, who).join(" or ")];
  if (isLive(session.state)) return session.origin === "started" ? [`rollcall data ${who}`] : [];
  return [`rollcall logs ${who}`, `rollcall explain ${who}`];
}

function messageOf({ message }: View, cols: number): string {
  return message === undefined ? "" : paint("yellow", cut(` ${printable(message)}`, cols));
}
