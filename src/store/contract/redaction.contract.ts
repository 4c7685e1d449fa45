import { describe, expect, test } from "vitest";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import { created, newEvent, request, T0 } from "../../testing/events.ts";
import { redacting } from "../redacting.ts";
import type { Store } from "../store.ts";
import { codeOf, type MakePlace } from "./place.ts";

const SECRET = "hunter2-is-no-password";

const CURSOR: ReadCursor = {
  source: `/${SECRET}/log`,
  byteOffset: 1,
  file: { device: "1", inode: "2", sizeBytes: 1, mtimeMs: 1, headBytes: 1, headHash: `h-${SECRET}` },
  memory: { last: SECRET },
};

/** Hides it wherever it stands in a value. */
function hide<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(SECRET, "[redacted]")) as T;
}

export function redactionContract(makePlace: MakePlace): void {
  describe("redaction around the store", () => {
    test("leaves a secret in nothing that was written, whichever way it came", async () => {
      using place = makePlace();
      await using store = redacting(place.open(), hide);
      await writeEverywhere(store);
      expect(await placesOf(SECRET, store)).toEqual([]);
    });

    test("is what keeps it out: the engine alone stores it as it came", async () => {
      using place = makePlace();
      await using store = place.open();
      await writeEverywhere(store);
      const places = ["row", "observed", "events", "usage", "cursor", "unknown", "delegations"];
      expect(await placesOf(SECRET, store)).toEqual(places);
    });

    test("finds a read cursor by the path that was stored, its file as it came", async () => {
      using place = makePlace();
      await using store = redacting(place.open(), hide);
      await writeEverywhere(store);
      const found = { source: "/[redacted]/log", memory: { last: "[redacted]" }, file: CURSOR.file };
      expect(await store.findCursor("s", CURSOR.source)).toMatchObject(found);
      let known: unknown;
      await store.change("s", (_row, { cursors }) => {
        known = cursors.get(CURSOR.source);
        return [];
      });
      expect(known).toMatchObject(found);
    });

    test("finds a name and a task by the words that were stored", async () => {
      using place = makePlace();
      await using store = redacting(place.open(), hide);
      await writeEverywhere(store);
      let namesake: string | undefined;
      const ask = store.change("other", (_row, { findNamesake }) => {
        namesake = findNamesake(SECRET, "here");
        return [];
      });
      expect(await codeOf(ask)).toBe("session_not_found");
      expect(namesake).toBe("s");
      expect(await store.findDelegation(SECRET)).toMatchObject({ taskId: "[redacted]" });
    });
  });
}

async function writeEverywhere(store: Store): Promise<void> {
  const identity = { name: SECRET, machine: "here", agentName: SECRET, metadata: { deep: [SECRET] } };
  const entry = { role: "user", kind: "text", text: `say ${SECRET}`, tool: null } as const;
  await store.change("s", () => ({
    events: [newEvent(created({ origin: "started", identity })), newEvent({ kind: "entry_added", entry })],
    usage: [request("r", { model: SECRET })],
    cursors: [CURSOR],
    unknown: [{ key: "k", type: SECRET, record: { deep: SECRET } }],
  }));
  await store.change("s", () => [newEvent({ kind: "updated", error: SECRET })]);
  await store.observe([{ sessionId: "s", observed: { activity: { text: SECRET, tool: null, at: T0 } } }]);
  const asked = { at: T0, agentName: SECRET, taskId: SECRET, sessionId: null, seq: null };
  await store.logDelegation({ ...asked, resume: false, reason: "no_existing_session" });
}

async function placesOf(secret: string, store: Store): Promise<string[]> {
  const stored = await store.find("s");
  const all = {
    row: stored?.row,
    observed: stored?.observed,
    events: await store.events("s"),
    usage: await store.usageOf("s"),
    cursor: { ...(await store.findCursor("s", CURSOR.source)), file: null },
    unknown: await store.unknownRecords("s"),
    delegations: await Array.fromAsync(store.delegations()),
  };
  return Object.entries(all).flatMap(([place, value]) =>
    JSON.stringify(value).includes(secret) ? [place] : [],
  );
}
