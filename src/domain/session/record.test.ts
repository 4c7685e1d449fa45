import { describe, expect, test } from "vitest";
import { bodiesTo, created, declared, rowAfter } from "../../testing/events.ts";
import { toWire } from "../wire.ts";
import { NO_LIVE_FACTS, toRecord, usageOf } from "./record.ts";
import type { SessionRow } from "./session.ts";

const recordOf = (row: SessionRow) => {
  const usage = usageOf(row);
  return toRecord(row, { usage, usageWithChildren: usage, observed: NO_LIVE_FACTS });
};
const finalized = { kind: "finalized", phase: "completed", summary: null, inHistory: false } as const;

/** The fields of section 2. */
const FIELDS =
  `id agent_type agent_name agent_version name kind channel role model purpose goal chain_id task_id parent_id
  forked_from machine workspace_path git_branch git_commit native_id metadata state state_since state_source waiting
  activity   phase history outcome status end_reason exit_code exit_signal summary generation created_at started_at ended_at
  finalized_at last_active_at last_input_at last_output_at duration_ms resume_ready resume_count error_count last_error
  attached usage usage_with_children resources`.split(/\s+/);

describe("a record", () => {
  test("has every field of the design", () => {
    expect(Object.keys(toWire(recordOf(rowAfter(created()))) as object)).toEqual(
      expect.arrayContaining(FIELDS),
    );
  });

  test("has no duration while it lives", () => {
    expect(recordOf(rowAfter(created())).durationMs).toBeNull();
  });

  test("lasted from its creation to the end of its process", () => {
    expect(recordOf(rowAfter(created(), declared("completed"))).durationMs).toBe(60_000);
  });

  test("lasted to the end of its work where that was declared, before or after the process", () => {
    expect(recordOf(rowAfter(created(), declared("completed"), finalized)).durationMs).toBe(120_000);
    expect(recordOf(rowAfter(...bodiesTo("running"), finalized)).durationMs).toBe(120_000);
  });
});
