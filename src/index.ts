import "./machine/needs-node.ts";
import { priceOverridesOf } from "./home/settings.ts";
import { usePrices } from "./record/usage/request-pricing.ts";

export { type ErrorCode, RollcallError } from "./domain/errors.ts";
export type { Json, JsonObject } from "./domain/json.ts";
export type { Sample } from "./domain/sample.ts";
export type { EventBody, EventKind, FeedEvent, SessionEvent } from "./domain/session/event.ts";
export { OUTCOMES, type Outcome } from "./domain/session/outcome.ts";
export {
  FINAL_PHASES,
  type FinalPhase,
  PHASES,
  type Phase,
  RESUMABLE_PHASES,
} from "./domain/session/phase.ts";
export type { Refusal, ResumeHow, ResumeVerdict } from "./domain/session/resume.ts";
export {
  AGENT_TYPES,
  type AgentType,
  CHANNELS,
  type Channel,
  KINDS,
  type Kind,
  type PhaseStep,
  type ProcessIdentity,
  type Resources,
  type SessionRecord,
  type Waiting,
} from "./domain/session/session.ts";
export { STATES, STATUSES, type State, type Status } from "./domain/session/state.ts";
export type { SessionPatch } from "./domain/session/update.ts";
export type { Instant } from "./domain/time.ts";
/** The public interface of Rollcall. */
export type { Entry, EntryKind, EntryRole, EntryTool, NewEntry } from "./domain/transcript/entry.ts";
export type { Usage, UsageEntry } from "./domain/usage.ts";
export { fromWire, toWire } from "./domain/wire.ts";
export type { CleanupOptions, CleanupReport } from "./record/cleanup.ts";
export type { CreateInput } from "./record/create.ts";
export type { Message, TokenUsage, ToolCall } from "./record/files/record-file.ts";
export type { ListFilter, ListOptions } from "./record/filter.ts";
export {
  cleanupOldSessions,
  createSession,
  finalizeSession,
  getSession,
  listSessions,
  shouldResume,
  updateState,
} from "./record/functions.ts";
export { type OpenOptions, openRollcall } from "./record/open.ts";
export type { Rollcall, SessionPage, UpdateOptions } from "./record/rollcall.ts";
export { type AddedUsage, type NewToolCall, Session, type SessionOptions } from "./record/session.ts";
export type { Stats, StatsGroup, StatsOptions } from "./record/stats/stats.ts";
export type { BackupReport, VerifyReport } from "./store/maintenance.ts";
export type { FeedFilter, FeedMatch, Page, RangeQuery, SearchFilter, SearchHit } from "./store/store.ts";

usePrices(async (config) => {
  const { createPriceRequest } = await import("./telemetry/prices.ts");
  return createPriceRequest(priceOverridesOf(config));
});
