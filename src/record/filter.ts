import { checkOneOf } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import { OUTCOMES } from "../domain/session/outcome.ts";
import { decideResume } from "../domain/session/resume.ts";
import { CHANNELS, type Channel, KINDS, type Kind, type SessionRow } from "../domain/session/session.ts";
import { STATES, STATUSES, type State, type Status } from "../domain/session/state.ts";
import { type Instant, toInstant } from "../domain/time.ts";
import { ENTRY_ROLES } from "../domain/transcript/entry.ts";
import { toWire } from "../domain/wire.ts";
import type { ListQuery, SearchFilter, SearchQuery } from "../store/store.ts";
import type { Context } from "./context.ts";

export interface ListFilter {
  /** Only sessions of status `active`. */
  readonly activeOnly?: boolean;
  /** Only sessions whose resume verdict is yes now. */
  readonly resumable?: boolean;
  /** Matches the agent's name or its type. */
  readonly agent?: string;
  /** `detached` selects live sessions with no terminal connected. */
  readonly state?: State | "detached";
  readonly status?: Status;
  readonly kind?: Kind;
  readonly channel?: Channel;
  /** Each key is a text field of the record or a key of its metadata. */
  readonly where?: Readonly<Record<string, string>>;
  readonly since?: Instant;
  readonly until?: Instant;
  readonly createdSince?: Instant;
  readonly createdUntil?: Instant;
}

export interface ListOptions extends ListFilter {
  /** 0 means all. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SearchOptions extends SearchFilter {
  /** 20 where nothing is said. */
  readonly limit?: number;
  readonly cursor?: string;
}

export function toSearchQuery(text: string, options: SearchOptions): SearchQuery {
  const { limit = 20, outcome, role } = options;
  if (outcome !== undefined) checkOneOf(OUTCOMES, outcome, "outcome");
  if (role !== undefined) checkOneOf(ENTRY_ROLES, role, "role");
  if (Number.isSafeInteger(limit) && limit > 0) return { ...options, text, limit };
  throw new RollcallError("bad_input", `${limit} is not a limit.`, {
    hint: "Give a whole number from 1 up.",
  });
}

export function toQuery(context: Context, options: ListOptions): ListQuery {
  const { state, status, kind, channel, agent, since, until, createdSince, createdUntil, cursor } = options;
  const activeSince = options.resumable ? laterOf(since, resumableSince(context)) : since;
  const statuses = statusesOf(
    options.activeOnly,
    status === undefined ? undefined : checkOneOf(STATUSES, status, "status"),
  );
  const where = predicateOf(context, options);
  return {
    ...statesOf(state),
    ...(statuses === undefined ? {} : { statuses }),
    ...(kind === undefined ? {} : { kind: checkOneOf(KINDS, kind, "kind") }),
    ...(channel === undefined ? {} : { channel: checkOneOf(CHANNELS, channel, "channel") }),
    ...(agent === undefined ? {} : { agent }),
    ...(activeSince === undefined ? {} : { activeSince }),
    ...(until === undefined ? {} : { activeUntil: until }),
    ...(createdSince === undefined ? {} : { createdSince }),
    ...(createdUntil === undefined ? {} : { createdUntil }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(where === undefined ? {} : { where }),
    limit: options.limit ?? 0,
  };
}

function statesOf(wanted: ListFilter["state"]): Pick<ListQuery, "states" | "detached"> {
  if (wanted === undefined) return {};
  const state = checkOneOf([...STATES, "detached"], wanted, "state");
  return state === "detached" ? { detached: true } : { states: [state] };
}

/** Both wishes hold: active only and another status leave nothing over. */
function statusesOf(activeOnly: boolean | undefined, status: Status | undefined): Status[] | undefined {
  if (!activeOnly) return status === undefined ? undefined : [status];
  return status === undefined || status === "active" ? ["active"] : [];
}

function resumableSince(context: Context): Instant {
  return toInstant(context.now() - context.resumePolicy.maxIdleMs);
}

function laterOf(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b;
}

function predicateOf(
  context: Context,
  { resumable, where }: ListOptions,
): ((row: SessionRow) => boolean) | undefined {
  const wanted = Object.entries(where ?? {});
  if (!resumable && wanted.length === 0) return undefined;
  return (row) =>
    (!resumable || decideResume(row, context.resumePolicy, context.now()).resume) &&
    wanted.every(([key, value]) => has(row, key, value));
}

/** True for a text field of the record with that value, or for a key of the metadata. */
function has(row: SessionRow, key: string, value: string): boolean {
  const { metadata, ...fields } = toWire(row) as Record<string, unknown> & { metadata: object };
  return isValue(fields, key, value) || isValue(metadata, key, value);
}

function isValue(object: object, key: string, value: string): boolean {
  if (!Object.hasOwn(object, key)) return false;
  const found = (object as Record<string, unknown>)[key];
  return typeof found === "string" ? found === value : JSON.stringify(found) === value;
}
