import type { ReadCursor } from "../domain/read-cursor.ts";
import type { NewEvent } from "../domain/session/event.ts";
import type { Decide, Store } from "./store.ts";

type Redact = <T>(value: T) => T;

/** Every method that takes a text of somebody else's, and has to hide what is secret in it. */
type Writes = Pick<Store, "change" | "findCursor" | "observe" | "logDelegation" | "findDelegation">;

/** Methods that take no text. A new method of the contract does not compile until it stands in one of the two lists. */
const PASSED: Readonly<Record<Exclude<keyof Store, keyof Writes>, true>> = {
  find: true,
  findRow: true,
  list: true,
  findByReference: true,
  newest: true,
  hasCarriedLive: true,
  family: true,
  spending: true,
  cursors: true,
  findEvent: true,
  events: true,
  unknownRecords: true,
  entries: true,
  feed: true,
  feedEnd: true,
  listen: true,
  search: true,
  usageOf: true,
  statistics: true,
  addSamples: true,
  samples: true,
  sampleSums: true,
  thinSamples: true,
  log: true,
  claim: true,
  changedSessions: true,
  changedRequests: true,
  delegations: true,
  remove: true,
  isTombstone: true,
  laggingFiles: true,
  publishFile: true,
  backup: true,
  redactStored: true,
  verify: true,
  close: true,
  [Symbol.asyncDispose]: true,
};

/** A store, of whatever engine, that writes nothing before `redact` has taken the secrets out of it. */
export function redacting(store: Store, redact: Redact): Store {
  const writes: Writes = {
    change: (sessionId, decide, options) => store.change(sessionId, redacted(decide, redact), options),
    findCursor: async (sessionId, source) => store.findCursor(sessionId, redact(source)),
    observe: async (batch) =>
      store.observe(batch.map(({ sessionId, observed }) => ({ sessionId, observed: redact(observed) }))),
    logDelegation: async (delegation) => {
      const { agentName, taskId } = redact({ agentName: delegation.agentName, taskId: delegation.taskId });
      await store.logDelegation({ ...delegation, agentName, taskId });
    },
    findDelegation: async (taskId) => store.findDelegation(redact(taskId)),
  };
  const passed = Reflect.ownKeys(PASSED) as (keyof typeof PASSED)[];
  const bound = passed.map((name) => [name, (store[name] as () => unknown).bind(store)]);
  return { ...Object.fromEntries(bound), ...writes } as Store;
}

function redacted(decide: Decide, redact: Redact): Decide {
  const event = (given: NewEvent): NewEvent => ({ ...given, body: redact(given.body) });
  // The rest of it has no text of anybody's, and a hash that was taken for a secret would fit no file.
  const cursor = ({ source, memory, ...rest }: ReadCursor) => ({ ...rest, ...redact({ source, memory }) });
  return (row, known) => {
    const decided = decide(row, {
      ...known,
      cursors: { get: (source) => known.cursors.get(redact(source)) },
      findNamesake: (name, machine) => known.findNamesake(redact(name), machine),
    });
    if (!("events" in decided)) return decided.map(event);
    const { events, usage, cursors, unknown, at } = decided;
    return {
      ...(at === undefined ? {} : { at }),
      events: events.map(event),
      ...(usage === undefined ? {} : { usage: redact(usage) }),
      ...(cursors === undefined ? {} : { cursors: cursors.map(cursor) }),
      ...(unknown === undefined ? {} : { unknown: redact(unknown) }),
    };
  };
}
