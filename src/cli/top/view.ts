import { stripVTControlCharacters } from "node:util";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isLive } from "../../domain/session/state.ts";
import { answerCommands, nameToCall } from "../../present/request.ts";
import { askedLines } from "../../present/request-lines.ts";
import { isAsking, isWaiting, type RollRow } from "../../present/roll-order.ts";
import { isOutside, placeOutside, type Terminals } from "../../present/session-cells.ts";
import { sessionColumns } from "../../present/session-columns.ts";
import type { Column } from "../../present/table.ts";
import { cut, padTo, printable, widthOf } from "../../present/text.ts";
import { turnError } from "../../present/turn.ts";
import type { Size } from "../full-screen/full-screen.ts";
import { paint, table } from "../table.ts";
import { nameOf } from "./actions.ts";
import type { Line } from "./line-editor.ts";

export interface View {
  readonly rows: readonly RollRow[];
  readonly selected: string | undefined;
  readonly isDaemonRunning: boolean;
  /** Lines that whoever started it wants shown. */
  readonly note: string | undefined;
  /** Whether the selected session is as it was long enough for keys to count. */
  readonly isSettled: boolean;
  /** The result of the last key. */
  readonly message: string | undefined;
  /** To be answered before anything else. */
  readonly question: string | undefined;
  /** The text that is written for a session. */
  readonly writing: { readonly to: string; readonly line: Line } | undefined;
  readonly now: number;
  readonly terminals: Terminals;
}

/** The most needed first: what has no room is left out. */
const KEYS = "q quit  ? help  ↵ attach  n next  a approve  d deny  1-9 answer  s send  e end";
/** A table shorter than this shows too little: what is said of one session gives way to it. */
const FEWEST_ROWS = 4;
/** People who watch sessions live want to see what they use, beside what they do. */
const RESOURCES_FROM = 100;
/** Hollow until keys count. */
const MARK = "▸";
const UNSETTLED = "▹";
const CURSOR = "▏";

const HELP = [
  ["↑ ↓ j k", "select"],
  ["g G", "select the first, the last"],
  ["Enter", "attach to the selected session; the detach key comes back"],
  ["n", "attach to who waits longest; again, to the next one"],
  ["a d", "approve, deny what it asks"],
  ["1-9", "answer its question"],
  ["s", "send it a text: Enter sends, Esc leaves"],
  ["e", "end it, after a yes"],
  ["?", "this help"],
  ["q Ctrl-C", "quit; no session is ended"],
] as const;

/** The lines of the screen, one for each row. */
export function frameOf(view: View, { cols, rows }: Size): string[] {
  const notes = [...noteOf(view, cols), ""];
  const foot = [messageOf(view, cols), footOf(view, cols)];
  const room = rows - 1 - notes.length - foot.length - 1;
  const wanted = detailOf(view, cols);
  const spare = Math.max(0, room - Math.min(view.rows.length, FEWEST_ROWS) - 1);
  const detail = spare < 3 ? [] : wanted.slice(0, spare);
  const body = bodyOf(view, cols, room - detail.length);
  const gap = Array.from({ length: Math.max(0, room + 1 - body.length - detail.length) }, () => "");
  const title = titleOf(view, cols, placeOf(view, body.length - 1));
  return [title, ...notes, ...body, ...gap, ...detail, ...foot].slice(0, rows);
}

/** The position of the selected row, such as `14 of 40`, where not all rows fit. */
function placeOf({ rows, selected }: View, shown: number): string {
  if (rows.length <= shown) return "";
  return `${rows.findIndex(({ session }) => session.id === selected) + 1} of ${rows.length} `;
}

function titleOf({ rows, isDaemonRunning }: View, cols: number, place: string): string {
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
  const line = padTo(cut(left, cols), Math.max(cols - widthOf(place + right), 0));
  return paint("bold", line + place) + paint(["bold", "red"], right);
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

function columnsOf({ rows, now, selected, isSettled, terminals }: View, width: number): Column<RollRow>[] {
  return [
    { title: " ", text: ({ session }) => (session.id === selected ? (isSettled ? MARK : UNSETTLED) : " ") },
    ...sessionColumns(rows, { width, now, asksInRow: true, terminals, resourcesFrom: RESOURCES_FROM }),
  ];
}

/** The lines on the selected session: its subject, its question, and how to go on. */
function detailOf({ rows, selected, terminals }: View, cols: number): string[] {
  const sessions = rows.map(({ session }) => session);
  const session = sessions.find(({ id }) => id === selected);
  if (!session) return [];
  const error = turnError(session);
  const lines = [
    ...(error === null ? [] : [`Its last turn failed: ${error}`]),
    ...(isAsking(session) ? askedLines(session, cols - 1) : [session.about ?? ""]),
    ...commandsFor(session, nameToCall(session, sessions)),
    ...(isOutside(session) ? [outsideOf(session, terminals)] : []),
  ];
  return [
    "",
    paint("dim", ruleWith(nameOf(session), cols)),
    ...lines.filter(Boolean).map((line) => cut(` ${printable(line)}`, cols)),
  ];
}

function outsideOf(session: SessionRecord, terminals: Terminals): string {
  const place = placeOutside(session, terminals);
  return `Runs outside Rollcall${place === null ? "" : ` (${place})`}: observed only.`;
}

function ruleWith(title: string, cols: number): string {
  const line = cut(`── ${printable(title)} `, cols);
  return line + "─".repeat(Math.max(0, cols - widthOf(line)));
}

function commandsFor(session: SessionRecord, who: string): readonly string[] {
  const commands = answerCommands(session, who);
  if (commands.length > 0) return [commands.join(" or ")];
  if (isLive(session.state)) return session.origin === "started" ? [`rollcall data ${who}`] : [];
  return [`rollcall logs ${who}`, `rollcall explain ${who}`];
}

function messageOf({ message, question, writing }: View, cols: number): string {
  if (writing) return editorOf(writing, cols);
  const said = question ?? message;
  return said === undefined ? "" : paint("yellow", cut(` ${printable(said)}`, cols));
}

function footOf({ writing }: View, cols: number): string {
  return paint("dim", cut(` ${writing ? "Enter sends  Esc leaves  Ctrl-U empties" : KEYS}`, cols));
}

/** The end of a long line is where one writes. */
function editorOf({ to, line }: NonNullable<View["writing"]>, cols: number): string {
  const title = cut(` Send to ${printable(to)}: `, Math.max(12, Math.floor(cols / 2)));
  const shown = (text: string) => printable(text.replaceAll("\n", "⏎"));
  const room = Math.max(1, cols - widthOf(title) - 1);
  const before = lastColumns(shown(line.before), room);
  return paint("bold", title) + cut(before + CURSOR + shown(line.after), room);
}

function lastColumns(text: string, width: number): string {
  const characters = [...text];
  while (widthOf(characters.join("")) > width - 2) characters.shift();
  return characters.length < [...text].length ? `…${characters.join("")}` : text;
}

/** The help page: each key and its effect. */
export function helpOf({ cols, rows }: Size): string[] {
  const width = Math.max(...HELP.map(([keys]) => widthOf(keys)));
  const lines = HELP.map(([keys, what]) => ` ${padTo(keys, width)}  ${what}`);
  const settled = [
    " a, d, 1-9 and e count once what is selected has been shown",
    ` unchanged for half a second; until then its mark is ${UNSETTLED}.`,
  ];
  const text = ["", ...lines, "", ...settled, "", " Any key goes back."];
  const all = [paint("bold", " rollcall top"), ...text.map((line) => cut(line, cols))];
  return all.slice(0, rows);
}
