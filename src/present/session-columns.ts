import { callLine } from "../domain/session/activity.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { age, count, shortId, UNKNOWN } from "./format.ts";
import { questionOf } from "./request.ts";
import { isAsking, type RollRow } from "./roll-order.ts";
import {
  agentAndModel,
  ageSince,
  costOf,
  cpuOf,
  declaredPhase,
  memoryOf,
  nameOf,
  nowOf,
  shortenWhere,
  stateOf,
  type Terminals,
  tokensOf,
  whereOf,
} from "./session-cells.ts";
import type { Column, Style } from "./table.ts";
import { turnError } from "./turn.ts";

export interface ColumnOptions {
  readonly width: number;
  readonly now: number;
  /** Where no line below a row says it, the row itself says what is asked. */
  readonly asksInRow: boolean;
  readonly terminals?: Terminals;
  /** From which width on CPU and memory are shown. */
  readonly resourcesFrom?: number;
}

/** From here on there is room for agent, tokens and cost, and for everything. */
const MEDIUM = 100;
const NARROW = 80;
/** Less of what a session does now says little; in a narrow terminal it is still the first to know. */
const READABLE_NOW = 21;
const NARROWEST_NOW = 12;
const WIDE = 160;

export const STATE_STYLES: Readonly<Record<SessionRecord["state"], Style | undefined>> = {
  starting: "cyan",
  running: "green",
  waiting_input: "yellow",
  paused: "blue",
  resuming: "cyan",
  stopping: "cyan",
  stopped: undefined,
  failed: "red",
  unknown: "magenta",
};

type SessionColumn = Column<RollRow>;

/** The columns that there is room for: first those that people steer by, then the rest. */
export function sessionColumns(rows: readonly RollRow[], options: ColumnOptions): SessionColumn[] {
  return [...stateColumns(options), ...workColumns(options), ...detailColumns(rows, options)];
}

/** The columns that say who it is, in which state, and since when. */
function stateColumns({ width, now, terminals }: ColumnOptions): SessionColumn[] {
  return [
    { title: "ID", text: of(({ id }) => shortId(id)), style: ({ session }) => faded(session, "bold") },
    {
      title: "NAME",
      text: (row) => nested(row, nameOf(row.session, terminals)),
      isFlexible: true,
      weight: 1.3,
      readable: 12,
      style: of((session) => faded(session, undefined)),
    },
    {
      title: "STATE",
      text: of((session) => (width < WIDE ? session.state : stateOf(session))),
      style: of(({ state }) => STATE_STYLES[state]),
    },
    {
      title: "AGE",
      text: of((session) => age(now - Date.parse(ageSince(session)))),
      isRight: true,
    },
  ];
}

/** The columns that say where it works, and on what. */
function workColumns(options: ColumnOptions): SessionColumn[] {
  const { width } = options;
  return [
    {
      title: "WHERE",
      text: of(whereOf),
      shorten: shortenWhere,
      isFlexible: true,
      readable: 10,
      isOptional: true,
      importance: 4,
      most: 30,
    },
    {
      title: "NOW",
      text: of((session) => nowCell(session, options) ?? UNKNOWN),
      isFlexible: true,
      isOptional: true,
      weight: 2.2,
      readable: width < NARROW ? NARROWEST_NOW : READABLE_NOW,
      importance: 5,
      most: 80,
      style: of((session) => (isLive(session.state) && turnError(session) !== null ? "red" : faded(session))),
    },
  ];
}

function detailColumns(rows: readonly RollRow[], { width, resourcesFrom = WIDE }: ColumnOptions) {
  const hasResources = width >= resourcesFrom && rows.some(({ session }) => cpuOf(session) !== UNKNOWN);
  const hasPhases = rows.some(({ session }) => declaredPhase(session) !== null);
  const columns: (SessionColumn | false)[] = [
    width >= WIDE && {
      title: "ABOUT",
      text: of(({ about }) => about ?? UNKNOWN),
      isFlexible: true,
      weight: 1.5,
      isOptional: true,
      most: 60,
    },
    width >= MEDIUM && {
      title: "AGENT",
      text: of(agentAndModel),
      isFlexible: true,
      isOptional: true,
      importance: 3,
      most: 30,
    },
    width >= MEDIUM &&
      hasPhases && {
        title: "PHASE",
        text: of((session) => declaredPhase(session) ?? UNKNOWN),
        isOptional: true,
        importance: 0.5,
      },
    hasResources && { title: "CPU", text: of(cpuOf), isRight: true, isOptional: true, importance: 0.8 },
    hasResources && { title: "MEM", text: of(memoryOf), isRight: true, isOptional: true, importance: 0.7 },
    width >= WIDE && {
      title: "TURNS",
      text: of(({ usage }) => count(usage.turns)),
      isRight: true,
      isOptional: true,
    },
    width >= MEDIUM && {
      title: "TOKENS",
      text: of(tokensOf),
      isRight: true,
      isOptional: true,
      importance: 1,
    },
    width >= MEDIUM && { title: "COST", text: of(costOf), isRight: true, isOptional: true, importance: 2 },
  ];
  return columns.filter((column) => column !== false);
}

/** A session stands below the one that started it. */
function nested({ depth }: RollRow, name: string): string {
  return depth === 0 ? name : `${"  ".repeat(depth - 1)}└ ${name}`;
}

/** Where there is no column for what it is about, that fills a cell that would be empty. */
function nowCell(session: SessionRecord, { width, asksInRow }: ColumnOptions): string | null {
  if (asksInRow && isAsking(session)) return width < WIDE ? shortRequest(session) : requestIn(session);
  return nowOf(session) ?? (width < WIDE ? session.about : null);
}

/** A state without what it waits for stands beside it. */
function shortRequest(session: SessionRecord): string {
  return `${session.waiting?.for}: ${requestIn(session)}`;
}

/** Shorter than the whole request, which is shown before it is answered. */
function requestIn(session: SessionRecord): string {
  const { waiting } = session;
  if (!waiting || waiting.tool === null || waiting.question !== null) return questionOf(session);
  return callLine(waiting.tool, waiting.input ?? undefined);
}

function of<T>(cell: (session: SessionRecord) => T): (row: RollRow) => T {
  return ({ session }) => cell(session);
}

/** A session that is over is read last. */
function faded({ state }: SessionRecord, style?: Style): Style | undefined {
  return isLive(state) ? style : "dim";
}
