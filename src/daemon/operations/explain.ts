import type { Evidence } from "../../domain/session/evidence.ts";
import { isFinal } from "../../domain/session/phase.ts";
import { decideResume, type ResumeVerdict } from "../../domain/session/resume.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isLive, type State } from "../../domain/session/state.ts";
import { newState } from "../../domain/supervise/news.ts";
import type { Instant } from "../../domain/time.ts";
import { findExitFile, findHolderFile } from "../../host/holder-files.ts";
import type { HolderStatus } from "../../host/holder-message.ts";
import { hostOf } from "../../host/host.ts";
import { isProcessAlive } from "../../machine/process.ts";
import { resumePolicyNow } from "../config-now.ts";
import type { Daemon } from "../daemon.ts";
import { canResume } from "../launch/mode-of.ts";
import { rowOf } from "../launch/start.ts";
import type { LiveSession } from "../session/live-session.ts";
import { keptOf } from "./kept-children.ts";

interface SourceSays {
  readonly source: string;
  readonly says: string;
  readonly at: Instant | null;
}

export interface Explanation {
  readonly sessionId: string;
  readonly state: State;
  readonly since: Instant;
  readonly rule: string | null;
  readonly source: string;
  readonly evidence: Evidence | null;
  readonly sources: readonly SourceSays[];
  /** Whether work can go on, as `should-resume` says it. */
  readonly resume: ResumeVerdict & { readonly inputs: Readonly<Record<string, unknown>> };
  /** Whether `resume` could open its conversation again, whatever the verdict says. */
  readonly conversation: { readonly resumable: boolean; readonly reason: string | null };
}

/** Why the state is what it is, what every source says now, and what the resume verdict rests on. */
export async function explainSession(
  daemon: Daemon,
  { sessionId }: { readonly sessionId: string },
): Promise<Explanation> {
  const { context } = daemon.services;
  const row = await rowOf(daemon, sessionId);
  const evidence = await evidenceOf(daemon, row);
  const session = daemon.get(sessionId);
  // Asked once: a holder that is silent takes its time.
  const status = await session?.holder.status();
  const policy = resumePolicyNow(daemon.services, row);
  return {
    sessionId,
    state: row.state,
    since: row.stateSince,
    rule: evidence?.rule ?? null,
    source: row.stateSource,
    evidence,
    sources: [
      await processSays(daemon, row, session, status),
      ...(session ? await agentSays(session, status) : []),
    ],
    resume: {
      ...decideResume(row, policy, context.now()),
      inputs: {
        phase: row.phase,
        resumeReady: row.resumeReady,
        lastActiveAt: row.lastActiveAt,
        errorCount: row.errorCount,
        nativeId: row.nativeId,
        ...policy,
      },
    },
    conversation: conversationOf(row, session),
  };
}

/** The same conditions as `resume`, but for what only an attempt can tell: whether someone else holds it. */
function conversationOf(row: SessionRow, session: LiveSession | undefined): Explanation["conversation"] {
  const reason = whyNotResumable(row, session);
  return { resumable: reason === null, reason };
}

function whyNotResumable(row: SessionRow, session: LiveSession | undefined): string | null {
  if (row.carried === null && row.origin !== "imported") return "not_carried";
  if (!canResume(row)) return "not_offered";
  if (row.nativeId === null) return "no_native_id";
  if (isFinal(row.phase)) return "finalized";
  return isLive(row.state) || session ? "still_running" : null;
}

/** The evidence of the event that led to this state. */
async function evidenceOf(daemon: Daemon, row: SessionRow): Promise<Evidence | null> {
  const { store } = daemon.services.context;
  for (let before = row.seq + 1; before > 1; ) {
    const events = await store.events(row.id, { before, limit: 200, tail: true });
    const found = events.findLast(
      ({ body, at }) =>
        (newState(body) === row.state && at >= row.stateSince) ||
        body.kind === "reconciled" ||
        body.kind === "created",
    );
    if (found && "evidence" in found.body) return found.body.evidence;
    before = events[0]?.seq ?? 0;
  }
  return null;
}

async function processSays(
  { services }: Daemon,
  row: SessionRow,
  session: LiveSession | undefined,
  status: HolderStatus | undefined,
): Promise<SourceSays> {
  const exit = session && findExitFile(session.folder);
  if (exit)
    return {
      source: "process",
      says: `left (${exit.agent.signal ?? exit.agent.code ?? exit.reason}); its tree is ${exit.tree.state}`,
      at: exit.agent.at,
    };
  if (row.process === null) return { source: "process", says: "no process is known", at: null };
  const agent = `pid ${row.process.pid} is ${isProcessAlive(row.process) ? "alive" : "gone"}`;
  const kept = await keptOf(services, row);
  const beside = session ? `; its holder ${status ? "answers for it" : silence(session)}` : "";
  const left = kept.length > 0 ? `; it left running: pids ${kept.join(", ")}` : "";
  return { source: "process", says: `${agent}${beside}${left}`, at: null };
}

function silence({ folder }: LiveSession): string {
  const file = findHolderFile(folder);
  const isThere = file && isProcessAlive({ ...file.holder, bootId: file.bootId });
  return isThere ? "is there and does not answer" : "is gone";
}

async function agentSays(session: LiveSession, status: HolderStatus | undefined): Promise<SourceSays[]> {
  const words = [...session.intake.lastWords].map(([source, { signal, at }]) => ({
    source,
    says: [signal.says, signal.excerpt].filter(Boolean).join(": "),
    at,
  }));
  const transcript = session.transcript.status;
  const screen = status && (await session.screen.match());
  return [
    ...words,
    ...(screen
      ? [{ source: "screen", says: `${screen.rule.says} (${screen.rule.name}): ${screen.excerpt}`, at: null }]
      : []),
    ...(transcript === "none"
      ? []
      : [{ source: "transcript", says: transcript.replace("_", " "), at: null }]),
    ...(status && hostOf(session.carrying.launch.host).hasScreen
      ? [
          {
            source: "terminal",
            says: `${status.viewers} watching, ${agoText(status.lastOutputMsAgo)} since its last output`,
            at: null,
          },
        ]
      : []),
  ].map((said) => session.redact(said));
}

function agoText(ms: number | null): string {
  return ms === null ? "no time known" : `${Math.round(ms / 100) / 10} s`;
}
