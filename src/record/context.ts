import { budgetsOf } from "../domain/limits/decide-budget.ts";
import { useOf } from "../domain/limits/limit.ts";
import type { Asker, EventBody, NewEvent } from "../domain/session/event.ts";
import { toRecord, usageOf } from "../domain/session/record.ts";
import type { ResumePolicy } from "../domain/session/resume.ts";
import type { Channel, SessionRecord } from "../domain/session/session.ts";
import { type Instant, toInstant } from "../domain/time.ts";
import { combineUsage, NO_USAGE } from "../domain/usage.ts";
import type { Config } from "../home/settings.ts";
import { randomBytes } from "../machine/random.ts";
import type { Store, StoredSession } from "../store/store.ts";
import type { FileKeeper } from "./files/file-keeper.ts";

/** Everything that an operation on records needs. */
export interface Context {
  readonly store: Store;
  readonly files: FileKeeper;
  readonly home: string;
  readonly config: Config;
  readonly resumePolicy: ResumePolicy;
  /** Through which channel this process speaks. */
  readonly channel: Channel;
  /** The caller, where it is known; entries do not say so. */
  readonly asker?: Asker;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly now: () => number;
  /** The store redacts what it stores; this is for values that are passed on without being stored. */
  readonly redact: <T>(value: T) => T;
  /** Values that must not be shown. */
  readonly secrets: () => readonly string[];
}

export function nowOf(context: Context): Instant {
  return toInstant(context.now());
}

/** Gives what happened an id, a time and a channel. */
export function stamp(context: Context, body: EventBody, at: Instant = nowOf(context)): NewEvent {
  const { asker, channel } = context;
  const says = asker !== undefined && body.kind !== "entry_added";
  return { id: eventId(context.now()), at, channel, body: says ? { ...body, asker } : body };
}

/** The whole record of a stored session; that of a parent counts its children too. */
export function recordOf(store: Store, stored: StoredSession): SessionRecord | Promise<SessionRecord> {
  if (stored.hasChildren || budgetsOf(stored.row).length > 0) return familyRecord(store, stored);
  const usage = usageOf(stored.row, stored.ledger);
  return toRecord(stored.row, { usage, usageWithChildren: usage, observed: stored.observed });
}

async function familyRecord(store: Store, stored: StoredSession): Promise<SessionRecord> {
  const { items, corrupt = [] } = stored.hasChildren
    ? await store.family(stored.row.id)
    : { items: [stored] };
  const own = budgetsOf(stored.row);
  const spending = own.length === 0 ? undefined : await store.spending(stored.row.id);
  const budgets = spending ? own.map((budget) => useOf(budget, spending)) : [];
  const known = items.map(({ row, ledger }) => usageOf(row, ledger));
  const usageWithChildren = combineUsage([...known, ...corrupt.map(() => NO_USAGE)]);
  const usage = usageOf(stored.row, stored.ledger);
  return toRecord(stored.row, { usage, usageWithChildren, budgets, observed: stored.observed });
}

let writer: string | undefined;
let written = 0;

/** The time, so that ids of one time lie together in the index; who writes, drawn once; and a count. */
function eventId(ms: number): string {
  writer ??= randomBytes(9).toString("base64url");
  written += 1;
  return `${ms.toString(36).padStart(9, "0")}-${writer}-${written.toString(36)}`;
}
