import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metadata } from "../testing/arbitraries.ts";
import { lives } from "../testing/arbitrary-events.ts";
import { created, entryAdded, place, replay, rowAfter } from "../testing/events.ts";
import { NO_LIVE_FACTS, toRecord, usageOf } from "./session/record.ts";
import type { SessionRow } from "./session/session.ts";
import { fromWire, toWire } from "./wire.ts";

const recordOf = (row: SessionRow) => {
  const usage = usageOf(row);
  return toRecord(row, { usage, usageWithChildren: usage, observed: NO_LIVE_FACTS });
};

/** Names as our own types have them. */
const names = fc.stringMatching(/^[a-z][a-z0-9]{0,4}([A-Z][a-z0-9]{0,4}){0,3}$/);
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("the wire", () => {
  test("gives back every record and every event as it was", () => {
    fc.assert(
      fc.property(lives, (events) => {
        const record = recordOf(replay(events) as SessionRow);
        expect(fromWire(toWire(record))).toEqual(record);
        expect(fromWire(toWire(events))).toEqual(events);
      }),
    );
  });

  test("gives back any data with names of ours as it was", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(fromWire(toWire(value))).toEqual(value);
      }),
    );
  });

  test.each(["metadata", "params", "result", "governanceResult", "input", "toolCalls", "sessionMetadata"])(
    "never touches the keys inside %s",
    (field) => {
      const foreign = { some_key: 1, someKey: 2, deep: [{ a_B: { cD: 3 } }] };
      expect(Object.values(toWire({ [field]: foreign }) as object)).toEqual([foreign]);
      expect(Object.values(fromWire({ [field]: foreign }) as object)).toEqual([foreign]);
    },
  );

  test("leaves metadata alone whatever is in it", () => {
    fc.assert(
      fc.property(metadata, (given) => {
        expect(toWire({ metadata: given })).toEqual({ metadata: given });
        expect(fromWire({ metadata: given })).toEqual({ metadata: given });
      }),
    );
  });

  test("writes our own names in snake case, down to the steps of the history", () => {
    const row = rowAfter(created(), { kind: "updated", phase: "planning" });
    expect(toWire(recordOf(row))).toMatchObject({
      agent_type: "unknown",
      resume_ready: true,
      usage_with_children: { tokens_cache_read: null },
      resources: { memory_rss_bytes: null },
      history: [{ from_phase: "initializing", to_phase: "planning" }],
    });
  });

  test("leaves what went into a tool and came out of it alone, inside an event", () => {
    const tool = { name: "t", params: { aB: 1 }, result: { c_d: 2 }, governanceResult: { eF: 3 } };
    const [event] = place([entryAdded("x", { tool })]);
    expect(toWire(event)).toMatchObject({
      body: { entry: { tool: { params: { aB: 1 }, result: { c_d: 2 }, governance_result: { eF: 3 } } } },
    });
  });
});
