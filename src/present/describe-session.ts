import type { SessionRecord } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { agentOf, bytes, duration, percentOf, plural, relativeTime } from "./format.ts";
import { answerCommand } from "./request.ts";
import { askedLines } from "./request-lines.ts";
import { isAsking, isWaiting } from "./roll-order.ts";
import { budgetsOf, costOf, declaredPhase, nameOf, stateOf, tokensOf } from "./session-cells.ts";
import { printable } from "./text.ts";
import { turnError } from "./turn.ts";

/** One session for people, a line for each thing that is known. */
export function describeSession(session: SessionRecord, now: number): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ["id", session.id],
    ["name", session.origin === "observed" ? nameOf(session) : session.name],
    ["agent", agentOf(session)],
    ["kind", `${session.kind}, through ${session.channel}`],
    ["state", `${stateOf(session)} (${session.stateSource}, ${relativeTime(session.stateSince, now)})`],
    ["now", activityOf(session, now)],
    ["last turn", lastTurnOf(session)],
    ["asks", isAsking(session) ? askedLines(session, Number.POSITIVE_INFINITY).join(" ") : null],
    ["answer it with", isWaiting(session) ? answerCommand(session) || null : null],
    ["status", session.status],
    ["phase", phasesOf(session)],
    ["outcome", session.outcome],
    ["end reason", session.endReason],
    ["exit", exitOf(session)],
    ["summary", session.summary],
    ["about", session.about === session.goal ? null : session.about],
    ["goal", session.goal],
    ["role", session.role],
    ["model", session.model],
    ["task", session.taskId],
    ["chain", session.chainId],
    ["parent", session.parentId],
    ["created", `${session.createdAt} (${relativeTime(session.createdAt, now)})`],
    ["active", `${session.lastActiveAt} (${relativeTime(session.lastActiveAt, now)})`],
    ["duration", session.durationMs === null ? null : duration(session.durationMs)],
    ["go on", session.resumeReady ? "ready" : "not ready"],
    ["resumed", session.resumeCount === 0 ? null : plural(session.resumeCount, "time")],
    [
      "errors",
      session.lastError === null ? null : `${session.errorCount}, the last: ${session.lastError.message}`,
    ],
    ["usage", session.usage.tokensTotal === null ? null : usageLine(session)],
    ["budget", budgetsOf(session)],
    ["resources", resourcesOf(session)],
    ["over its life", overLifeOf(session)],
    ["workspace", workspaceOf(session)],
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

function usageLine(session: SessionRecord): string {
  const own = { ...session, budgets: [] };
  return `${tokensOf(own)} tokens, ${costOf(own)}`;
}

function activityOf({ activity }: SessionRecord, now: number): string | null {
  return activity === null ? null : `${activity.text} (${relativeTime(activity.at, now)})`;
}

function lastTurnOf(session: SessionRecord): string | null {
  const error = turnError(session);
  return error === null ? null : `failed: ${error}`;
}

function exitOf({ exitCode, exitSignal }: SessionRecord): string | null {
  return exitSignal ?? (exitCode === null ? null : `code ${exitCode}`);
}

function phasesOf(session: SessionRecord): string | null {
  const { history } = session;
  const first = history[0];
  if (!first) return declaredPhase(session);
  return [first.fromPhase, ...history.map((step) => step.toPhase)].slice(-6).join(" → ");
}

function resourcesOf(session: SessionRecord): string | null {
  const { cpuPercent, memoryRssBytes, processes } = session.resources;
  if (cpuPercent === null || !isLive(session.state)) return null;
  return `${percentOf(cpuPercent)} CPU, ${bytes(memoryRssBytes ?? 0)} memory, ${processes === 1 ? "1 process" : `${processes} processes`}`;
}

function overLifeOf({ resources }: SessionRecord): string | null {
  const { avgCpuPercent, peakMemoryRssBytes } = resources;
  if (avgCpuPercent === null || peakMemoryRssBytes === null) return null;
  return `${percentOf(avgCpuPercent)} CPU on average, ${bytes(peakMemoryRssBytes)} memory at most`;
}

function workspaceOf({ workspacePath, resources }: SessionRecord): string | null {
  const { workspaceBytesUsed } = resources;
  return workspaceBytesUsed === null ? workspacePath : `${workspacePath} (${bytes(workspaceBytesUsed)})`;
}
