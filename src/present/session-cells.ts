import { formatUsd, NANO } from "../domain/limits/money.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import type { Instant } from "../domain/time.ts";
import { agentOf, count, money, percentOf, plural, shortBytes, UNKNOWN } from "./format.ts";
import { cut, widthOf } from "./text.ts";
import { isBeforeTurn, turnError } from "./turn.ts";

/** In less room than this a folder alone says more than the beginnings of folder and branch. */
const BOTH_READABLE = 12;

/** Names of the outside world by which a person finds a session that Rollcall does not carry. */
export type Terminals = ReadonlyMap<string, string>;

export function stateOf({ state, waiting }: SessionRecord): string {
  return waiting === null ? state : `${state} (${waiting.for})`;
}

/** Since when it waits; while it works, when it last showed that, or began its turn; when it ended. */
export function ageSince(session: SessionRecord): Instant {
  const { state, waiting, activity, endedAt, lastActiveAt, lastOutputAt, stateSince } = session;
  if (waiting !== null) return waiting.since;
  if (state === "stopped" || state === "failed") return endedAt ?? stateSince;
  if (state !== "running") return stateSince;
  const seen = activity?.at ?? lastOutputAt ?? lastActiveAt;
  return session.turn !== null && isBeforeTurn(session, seen) ? session.turn.beganAt : seen;
}

/** Folder and branch. */
export function whereOf({ workspacePath, gitBranch }: SessionRecord): string {
  if (workspacePath === null) return UNKNOWN;
  const folder = workspacePath.split("/").findLast((part) => part !== "") ?? "/";
  return gitBranch === null || gitBranch === folder ? folder : `${folder}:${gitBranch}`;
}

/** Folder and branch in this many columns: where both are long, each keeps half of the room. */
export function shortenWhere(text: string, width: number): string {
  const at = text.indexOf(":");
  if (at < 0 || widthOf(text) <= width || width < BOTH_READABLE) return cut(text, width);
  const [folder, branch] = [text.slice(0, at), text.slice(at + 1)];
  const half = Math.floor((width - 1) / 2);
  const ofBranch = Math.min(widthOf(branch), Math.max(half, width - 1 - widthOf(folder)));
  return `${cut(folder, width - 1 - ofBranch)}:${cut(branch, ofBranch)}`;
}

/** Whether it lives in the process of its parent. */
export function isSubagent({ origin }: SessionRecord): boolean {
  return origin === "subagent";
}

export function isOutside({ origin }: SessionRecord): boolean {
  return origin === "observed";
}

/** Its name; a sub-agent has that of its part; one outside is marked, with the terminal or process that it is found by. */
export function nameOf(session: SessionRecord, terminals: Terminals = new Map()): string {
  if (isSubagent(session)) return session.name ?? session.agentName ?? "sub-agent";
  if (!isOutside(session)) return session.name ?? UNKNOWN;
  const outside = ["outside", placeOutside(session, terminals)].filter((part) => part !== null).join(" ");
  return session.name === null ? outside : `${session.name} (${outside})`;
}

/** The terminal of a session outside, else its process; null where neither is known. */
export function placeOutside({ id, process }: SessionRecord, terminals: Terminals): string | null {
  return terminals.get(id) ?? (process === null ? null : `pid ${process.pid}`);
}

/** Its activity; of one that is over or failed, the reason. */
export function nowOf(session: SessionRecord): string | null {
  if (!isLive(session.state)) return reasonOf(session);
  const error = turnError(session);
  if (error !== null) return `failed: ${error}`;
  const { activity, waiting } = session;
  if (activity === null || isAsked(activity.tool, waiting)) return null;
  return isBeforeTurn(session, activity.at) ? "…" : activity.text;
}

/** The call that a request is about is shown with the request. */
function isAsked(tool: string | null, waiting: SessionRecord["waiting"]): boolean {
  return tool !== null && waiting?.tool === tool;
}

/** Why nothing can be known of a session, in a few words. */
const LOSSES: Readonly<Record<string, string>> = {
  not_ready: "nothing seen since its start",
  no_process: "process gone",
  holder_lost: "holder gone",
  machine_reboot: "machine restarted",
  not_proven: "end not proven",
};

/** Why a session is over or was lost, and the last that it showed. */
export function reasonOf(session: SessionRecord): string | null {
  const { state, endReason, exitSignal, exitCode, outcome, summary, activity } = session;
  // An agent that was told to leave may do so by a signal or with any code.
  const how = state === "stopped" ? null : (exitSignal ?? (exitCode ? `exit ${exitCode}` : null));
  const reason = endReason !== null && Object.hasOwn(LOSSES, endReason) ? LOSSES[endReason] : endReason;
  // Where nobody said why its last turn failed, its own end says more.
  const error = session.turn?.error ? turnError(session) : null;
  const why = [reason ?? (outcome === "success" ? outcome : (how ?? outcome)), error];
  const last = summary ?? activity?.text ?? null;
  return [...why, last].filter((part) => part !== null && part !== "").join(": ") || null;
}

/** A phase that someone declared; every record begins with one that nobody did. */
export function declaredPhase({ phase, history }: SessionRecord): string | null {
  return phase === "initializing" && history.length === 0 ? null : phase;
}

/** Agent and model; a model that begins with the name of its agent says both. */
export function agentAndModel(session: SessionRecord): string {
  const { model, agentType, agentName } = session;
  const agent = agentOf(session);
  if (model === null) return agent;
  const both = model.startsWith(`${agentType}-`) ? [agentName, model] : [agent, model];
  return both.filter((part) => part !== null && part !== UNKNOWN).join(" ");
}

/** Under a budget, how much of it is used, by all that it counts. */
export function tokensOf(session: SessionRecord): string {
  const budget = session.budgets.find(({ kind }) => kind === "max_tokens");
  if (budget) return `${count(budget.used)} of ${count(budget.allowed)}`;
  return withFamily(session, ({ tokensTotal }) => count(tokensTotal));
}

export function costOf(session: SessionRecord): string {
  const budget = session.budgets.find(({ kind }) => kind === "max_cost");
  if (budget)
    return `${mark(money(budget.used), budget.uncountedRequests > 0)} of ${formatUsd(Math.round(budget.allowed * NANO))}`;
  return withFamily(session, ({ costUsd }) => money(costUsd));
}

/** Its own use; for one whose children used something, also that of all of them together. */
function withFamily(
  { usage, usageWithChildren }: SessionRecord,
  text: (usage: SessionRecord["usage"]) => string,
): string {
  const own = mark(text(usage), usage.partial);
  const all = mark(text(usageWithChildren), usageWithChildren.partial);
  return own === all || all === UNKNOWN ? own : `${own} (all ${all})`;
}

/** Each budget in words, with what it cannot count. */
export function budgetsOf({ budgets }: SessionRecord): string | null {
  if (budgets.length === 0) return null;
  return budgets
    .map(({ kind, used, allowed, uncountedRequests: uncounted }) => {
      if (kind === "max_tokens") return `${count(used)} of ${count(allowed)} tokens`;
      const use = `${mark(money(used), uncounted > 0)} of ${formatUsd(Math.round(allowed * NANO))}`;
      return uncounted === 0 ? use : `${use} (${plural(uncounted, "request")} without a price not counted)`;
    })
    .join(", ");
}

/** The use of its processes now; null for a session that is over. */
export function cpuOf({ state, resources }: SessionRecord): string {
  return isLive(state) ? percentOf(resources.cpuPercent) : UNKNOWN;
}

export function memoryOf({ state, resources }: SessionRecord): string {
  return isLive(state) && resources.memoryRssBytes !== null ? shortBytes(resources.memoryRssBytes) : UNKNOWN;
}

/** A sum over something that was not measured is at least so much. */
function mark(text: string, isPartial: boolean): string {
  return isPartial && text !== UNKNOWN ? `≥${text}` : text;
}
