import { describe, expect, test } from "vitest";
import { T0, T1, T2 } from "../../testing/events.ts";
import type { Delegation } from "../store.ts";
import type { MakePlace } from "./place.ts";

export function delegationsContract(makePlace: MakePlace): void {
  describe("the log of delegations", () => {
    test("keeps each in order and reads them since a time", async () => {
      using place = makePlace();
      await using store = place.open();
      const log = [delegation(T0, false, "no_existing_session"), delegation(T1, true, "session_resumable")];
      for (const entry of log) await store.logDelegation(entry);
      expect(await Array.fromAsync(store.delegations())).toEqual(log);
      expect(await Array.fromAsync(store.delegations(T1))).toEqual(log.slice(1));
    });

    test("finds the latest of a task", async () => {
      using place = makePlace();
      await using store = place.open();
      const of = (taskId: string, at: string) => ({ ...delegation(at, false, "finalized"), taskId });
      for (const entry of [of("a", T0), of("a", T1), of("b", T2)]) await store.logDelegation(entry);
      expect(await store.findDelegation("a")).toEqual(of("a", T1));
      expect(await store.findDelegation("c")).toBeUndefined();
    });
  });
}

function delegation(at: string, resume: boolean, reason: string): Delegation {
  return { at, agentName: "a", taskId: null, sessionId: null, seq: null, resume, reason };
}
