import { describe, expect, test } from "vitest";
import { bodiesTo, created, declared, place, replay, rowAfter } from "../../testing/events.ts";
import { METADATA_LIMIT_BYTES } from "../check.ts";
import type { SessionRow } from "./session.ts";
import { STATUSES, statusOf } from "./state.ts";
import { decideFinalize, decideUpdate, type SessionPatch } from "./update.ts";

const open = rowAfter(created());
const final = rowAfter(created(), { kind: "finalized", phase: "completed", summary: null, inHistory: false });
const carried = rowAfter(...bodiesTo("running"));
const codeOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
};
const kinds = (row: SessionRow, patch: SessionPatch) => decideUpdate(row, patch).map(({ kind }) => kind);
const updated = (row: SessionRow, patch: SessionPatch) =>
  replay(place([{ kind: "restored", row }, ...decideUpdate(row, patch)], row.id)) as SessionRow;

describe("an update", () => {
  test("with nothing in it is still an activity", () => {
    expect(decideUpdate(open, {})).toEqual([{ kind: "updated" }]);
  });

  test("to a phase carries metadata, error and name with it in one event", () => {
    const patch = { phase: "planning", metadata: { a: 1 }, error: "e", name: "n" } as const;
    expect(decideUpdate(open, patch)).toEqual([{ kind: "updated", ...patch }]);
  });

  test.each(["completed", "failed", "abandoned"] as const)("to %s is a finalise with its step", (phase) => {
    const row = updated(open, { phase, metadata: { a: 1 } });
    expect(row).toMatchObject({ phase, metadata: { a: 1 }, finalizedAt: expect.any(String) });
    expect(row.history).toMatchObject([{ fromPhase: "initializing", toPhase: phase }]);
  });

  test.each([
    { phase: "planning" },
    { phase: "completed" },
    { status: "active" },
    { resumeReady: true },
  ] as const)("of a final record with %o is refused whole", (patch) => {
    expect(codeOf(() => decideUpdate(final, { ...patch, metadata: { a: 1 }, error: "e" }))).toBe("finalized");
  });

  test("of a final record takes metadata, name and error", () => {
    const row = updated(final, { metadata: { a: 1 }, name: "n", error: "e" });
    expect(row).toMatchObject({ phase: "completed", metadata: { a: 1 }, name: "n", errorCount: 1 });
  });

  test("to a final phase with a status or resume_ready beside it is refused", () => {
    expect(codeOf(() => decideUpdate(open, { phase: "failed", status: "active" }))).toBe("bad_input");
    expect(codeOf(() => decideUpdate(open, { phase: "failed", resumeReady: true }))).toBe("bad_input");
  });

  test("that would make the metadata larger than 64 KB is refused, counting what is there", () => {
    const half = "x".repeat(METADATA_LIMIT_BYTES / 2);
    const row = { ...open, metadata: { a: half } };
    expect(codeOf(() => decideUpdate(row, { metadata: { b: half } }))).toBe("metadata_too_large");
    expect(kinds(row, { metadata: { a: half } })).toEqual(["updated"]);
  });

  test("may fill the metadata to the last byte, counted in UTF-8", () => {
    const room = METADATA_LIMIT_BYTES - JSON.stringify({ a: "" }).length;
    expect(kinds(open, { metadata: { a: "x".repeat(room) } })).toEqual(["updated"]);
    expect(codeOf(() => decideUpdate(open, { metadata: { a: "x".repeat(room + 1) } }))).toBe(
      "metadata_too_large",
    );
    expect(codeOf(() => decideUpdate(open, { metadata: { a: "é".repeat(room / 2 + 1) } }))).toBe(
      "metadata_too_large",
    );
  });
});

describe("a declared status", () => {
  test.each(STATUSES)("%s is what the record shows afterwards", (status) => {
    expect(statusOf(updated(open, { status }))).toBe(status);
  });

  test("is refused of a session that Rollcall carries", () => {
    expect(codeOf(() => decideUpdate(carried, { status: "completed" }))).toBe("carried");
  });

  test("active over an ended record is a new generation", () => {
    const ended = updated(open, { status: "completed" });
    expect(updated(ended, { status: "active" })).toMatchObject({
      generation: 2,
      outcome: null,
      endedAt: null,
    });
  });

  test("completed again keeps when it ended", () => {
    const ended = updated(open, { status: "completed" });
    expect(updated(ended, { status: "completed" }).endedAt).toBe(ended.endedAt);
  });

  test("unknown of an unknown record leaves it unknown, with metadata beside it", () => {
    const unknown = rowAfter(created(), declared("unknown"));
    expect(updated(unknown, { status: "unknown", metadata: { a: 1 } }).state).toBe("unknown");
  });
});

describe("a finalise", () => {
  test("leaves no step in the history and keeps its summary", () => {
    expect(decideFinalize(open, "completed", "done")).toEqual([
      { kind: "finalized", phase: "completed", summary: "done", inHistory: false },
    ]);
  });

  test("with the same word again changes nothing", () => {
    expect(decideFinalize(final, "completed", "another summary")).toEqual([]);
  });

  test.each(["failed", "abandoned"] as const)("of completed work as %s is refused", (phase) => {
    expect(codeOf(() => decideFinalize(final, phase, null))).toBe("finalized");
  });
});
