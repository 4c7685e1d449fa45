import type { SessionRecord } from "../domain/session.ts";
import { agentOf, count, duration, money, relativeTime, shortId, UNKNOWN } from "./format.ts";
import type { RollRow } from "./roll-order.ts";
import type { Column, Style } from "./table.ts";
import { printable } from "./text.ts";

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

export function sessionColumns(now: number): Column<SessionRecord>[] {
  return [
    { title: "ID", text: ({ id }) => shortId(id), style: () => "bold" },
    { title: "NAME", text: ({ name }) => name ?? UNKNOWN, isFlexible: true },
    { title: "AGENT", text: agentOf, isFlexible: true, isOptional: true },
    { title: "STATE", text: stateOf, style: ({ state }) => STATE_STYLES[state] },
    { title: "PHASE", text: ({ phase }) => phase, isOptional: true },
    { title: "ACTIVE", text: ({ lastActiveAt }) => relativeTime(lastActiveAt, now), isOptional: true },
    {
      title: "TOKENS",
      text: ({ usage }) => mark(count(usage.tokensTotal), usage.partial),
      isRight: true,
      isOptional: true,
    },
    {
      title: "COST",
      text: ({ usage }) => mark(money(usage.costUsd), usage.partial),
      isRight: true,
      isOptional: true,
    },
    {
      title: "PURPOSE",
      text: ({ purpose, goal }) => goal ?? purpose ?? UNKNOWN,
      isFlexible: true,
      isOptional: true,
    },
  ];
}

/** The same of the roll, where a session stands below the one that started it. */
export function rollColumns(now: number): Column<RollRow>[] {
  const columns = sessionColumns(now).map(({ title, text, style, ...rest }) => ({
    ...rest,
    title,
    text: (row: RollRow) => (title === "NAME" ? nested(row, text(row.session)) : text(row.session)),
    style: (row: RollRow) => style?.(row.session),
  }));
  return columns;
}

export function nested({ depth }: RollRow, name: string): string {
  return depth === 0 ? name : `${"  ".repeat(depth - 1)}└ ${name}`;
}

/** One session for people, a line for each thing that is known. */
export function describeSession(session: SessionRecord, now: number): string {
  const { usage } = session;
  const lines: readonly (readonly [string, string | null])[] = [
    ["id", session.id],
    ["name", session.name],
    ["agent", agentOf(session)],
    ["kind", `${session.kind}, through ${session.channel}`],
    ["state", `${stateOf(session)} (${session.stateSource}, ${relativeTime(session.stateSince, now)})`],
    ["status", session.status],
    ["phase", phasesOf(session)],
    ["outcome", session.outcome],
    ["end reason", session.endReason],
    ["summary", session.summary],
    ["purpose", session.purpose],
    ["goal", session.goal],
    ["role", session.role],
    ["model", session.model],
    ["task", session.taskId],
    ["chain", session.chainId],
    ["parent", session.parentId],
    ["created", `${session.createdAt} (${relativeTime(session.createdAt, now)})`],
    ["active", `${session.lastActiveAt} (${relativeTime(session.lastActiveAt, now)})`],
    ["duration", session.durationMs === null ? null : duration(session.durationMs)],
    ["resume", `${session.resumeReady ? "ready" : "not ready"}, resumed ${session.resumeCount} times`],
    [
      "errors",
      session.lastError === null ? null : `${session.errorCount}, the last: ${session.lastError.message}`,
    ],
    [
      "usage",
      usage.tokensTotal === null
        ? null
        : `${mark(count(usage.tokensTotal), usage.partial)} tokens, ${money(usage.costUsd)}`,
    ],
    ["workspace", session.workspacePath],
    [
      "git",
      session.gitBranch === null ? null : `${session.gitBranch} ${session.gitCommit?.slice(0, 10) ?? ""}`,
    ],
    ["machine", session.machine],
    ["metadata", Object.keys(session.metadata).length === 0 ? null : JSON.stringify(session.metadata)],
  ];
  const known = lines.filter((line): line is readonly [string, string] => line[1] !== null);
  const width = Math.max(...known.map(([title]) => title.length));
  return known.map(([title, text]) => `${title.padEnd(width)}  ${printable(text)}`).join("\n");
}

export function stateOf({ state, waiting }: SessionRecord): string {
  return waiting === null ? state : `${state} (${waiting.for})`;
}

function phasesOf({ phase, history }: SessionRecord): string {
  const first = history[0];
  if (!first) return phase;
  return [first.fromPhase, ...history.map((step) => step.toPhase)].slice(-6).join(" → ");
}

/** A sum over something that was not measured is at least so much. */
function mark(text: string, isPartial: boolean): string {
  return isPartial && text !== UNKNOWN ? `≥${text}` : text;
}
