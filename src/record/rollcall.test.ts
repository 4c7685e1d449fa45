import { describe, expect, test } from "vitest";
import { FINAL_PHASES, PHASES, type SessionPatch, STATUSES } from "../index.ts";
import { refusalOf, tempWorld } from "../testing/temp-rollcall.ts";

describe("creating a record", () => {
  test("gives it a name of the time in UTC, the defaults of the design and its own time", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await rollcall.create();
    expect(session.id).toMatch(/^session-20260108-180530-[0-9a-f]{6}$/);
    expect(session).toMatchObject({
      agentType: "unknown",
      purpose: "general",
      kind: "interactive",
      state: "running",
      status: "active",
    });
    expect(session).toMatchObject({
      createdAt: world.clock.instant,
      startedAt: world.clock.instant,
      endedAt: null,
    });
  });

  test("in a hundred at the same moment gives each its own id", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const made = await Promise.all(Array.from({ length: 100 }, () => rollcall.create({ file: false })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(100);
  });

  test("under an id of the caller's own keeps it; one in use is refused and the first left untouched", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const first = await rollcall.create({ id: "mine", purpose: "first" });
    expect(await refusalOf(rollcall.create({ id: "mine", purpose: "second" }))).toBe("id_in_use");
    expect(await rollcall.get("mine")).toEqual(first);
  });

  test.each([
    [{ id: "../mine" }, "bad_id"],
    [{ id: "last" }, "bad_id"],
    [{ name: "a/b" }, "bad_id"],
    [{ name: "self" }, "bad_id"],
    [{ kind: "batch" }, "bad_input"],
    [{ channel: "fax" }, "bad_input"],
    [{ agentType: "bot" }, "bad_input"],
    [{ metadata: { a: "x".repeat(70_000) } }, "metadata_too_large"],
    [{ metadata: [] }, "bad_input"],
    [{ parentId: "nobody" }, "session_not_found"],
    [{ pid: 2 ** 22 + 1 }, "bad_input"],
  ])("with %o is refused and makes nothing", async (input, code) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.create(input as never))).toBe(code);
    expect((await rollcall.page()).sessions).toEqual([]);
  });

  test("inside a session makes it a child of that session, unless it is not known here", async () => {
    using world = tempWorld();
    await using rollcall = await world.open({ env: { ROLLCALL_SESSION_ID: "around" } });
    expect((await rollcall.create()).parentId).toBeNull();
    await rollcall.create({ id: "around" });
    expect((await rollcall.create()).parentId).toBe("around");
  });
});

describe("updating a record", () => {
  test("with an unknown phase is refused whole, metadata and error too", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const before = await rollcall.create({ id: "s" });
    const patch = { phase: "dreaming", metadata: { a: 1 }, error: "e" } as unknown as SessionPatch;
    expect(await refusalOf(rollcall.update("s", patch))).toBe("bad_phase");
    expect(await rollcall.get("s")).toEqual(before);
  });

  test("with too much metadata is refused whole, counting what is there", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", metadata: { a: "x".repeat(40_000) } });
    const patch: SessionPatch = { phase: "planning", metadata: { b: "x".repeat(40_000) } };
    expect(await refusalOf(rollcall.update("s", patch))).toBe("metadata_too_large");
    expect(await rollcall.get("s")).toMatchObject({ phase: "initializing", seq: 1 });
  });

  test("without a phase refreshes the last activity and leaves phase, history and resume_ready alone", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const before = await rollcall.update("s", { phase: "approval" });
    world.clock.advance({ minutes: 5 });
    const after = await rollcall.update("s", { name: "n" });
    expect(after).toEqual({ ...before, name: "n", seq: 3, lastActiveAt: world.clock.instant });
  });

  test("appends a phase to the history even if it is the same", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    for (const phase of ["planning", "planning"] as const) await rollcall.update("s", { phase });
    expect((await rollcall.get("s")).history.map(({ toPhase }) => toPhase)).toEqual(["planning", "planning"]);
  });

  test("overrides resume_ready until the next phase", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const patches: SessionPatch[] = [
      { phase: "approval" },
      { resumeReady: false },
      { error: "e" },
      { phase: "approval" },
    ];
    const ready: boolean[] = [];
    for (const patch of patches) ready.push((await rollcall.update("s", patch)).resumeReady);
    expect(ready).toEqual([true, false, false, true]);
  });

  test("that expects another seq is refused", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    expect(await refusalOf(rollcall.update("s", { error: "e" }, { expectedSeq: 2 }))).toBe("seq_conflict");
    expect((await rollcall.update("s", { error: "e" }, { expectedSeq: 1 })).seq).toBe(2);
  });

  test.each(STATUSES)("to status %s shows it and refreshes the last activity", async (status) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    world.clock.advance({ minutes: 5 });
    expect(await rollcall.setStatus("s", status)).toMatchObject({
      status,
      lastActiveAt: world.clock.instant,
    });
  });

  test("to active over an ended record begins a new generation", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.setStatus("s", "failed");
    expect(await rollcall.setStatus("s", "active")).toMatchObject({
      generation: 2,
      outcome: null,
      endedAt: null,
      state: "running",
    });
  });

  test("of an unknown record that was made by hand makes it run again", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.setStatus("s", "unknown");
    expect(await rollcall.update("s", { metadata: { a: 1 } })).toMatchObject({
      state: "running",
      status: "active",
    });
  });

  test("of a session that does not exist is refused", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.update("s", { phase: "planning" }))).toBe("session_not_found");
    expect(await refusalOf(rollcall.finalize("s", "completed"))).toBe("session_not_found");
    expect(await refusalOf(rollcall.get("s"))).toBe("session_not_found");
    expect(await rollcall.find("s")).toBeUndefined();
  });
});

describe("finalising a record", () => {
  test.each([
    ["completed", "stopped", "success", "completed"],
    ["failed", "failed", "failure", "failed"],
    ["abandoned", "stopped", "interrupted", "cancelled"],
  ] as const)(
    "as %s sets state, outcome and times, and adds no history",
    async (phase, state, outcome, status) => {
      using world = tempWorld();
      await using rollcall = await world.open();
      await rollcall.create({ id: "s" });
      world.clock.advance({ minutes: 2 });
      const session = await rollcall.finalize("s", phase, { summary: "done" });
      expect(session).toMatchObject({
        phase,
        state,
        outcome,
        status,
        summary: "done",
        history: [],
        durationMs: 120_000,
      });
      expect([session.finalizedAt, session.endedAt]).toEqual([world.clock.instant, world.clock.instant]);
    },
  );

  test("again with the same word changes nothing and succeeds; with another it is refused", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const final = await rollcall.finalize("s", "completed");
    world.clock.advance({ minutes: 2 });
    expect(await rollcall.finalize("s", "completed", { summary: "later" })).toEqual(final);
    expect(await refusalOf(rollcall.finalize("s", "failed"))).toBe("finalized");
  });

  test("through an update leaves its step in the history", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const session = await rollcall.update("s", { phase: "completed", metadata: { a: 1 } });
    expect(session).toMatchObject({ phase: "completed", metadata: { a: 1 }, outcome: "success" });
    expect(session.history).toMatchObject([{ fromPhase: "initializing", toPhase: "completed" }]);
  });

  test("is final: phases and statuses are refused, metadata, name and error are taken", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.finalize("s", "completed");
    const refused = [...PHASES.map((phase) => ({ phase })), ...STATUSES.map((status) => ({ status }))];
    for (const patch of refused)
      expect(await refusalOf(rollcall.update("s", { ...patch, error: "no" }))).toBe("finalized");
    const session = await rollcall.update("s", { metadata: { a: 1 }, name: "n", error: "e" });
    expect(session).toMatchObject({
      phase: "completed",
      metadata: { a: 1 },
      name: "n",
      errorCount: 1,
      outcome: "success",
    });
  });

  test("takes only a final word, and names them otherwise", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const work = rollcall.finalize("s", "planning" as never);
    await expect(work).rejects.toMatchObject({ hint: `Valid: ${FINAL_PHASES.join(", ")}.` });
  });
});

describe("the resume verdict", () => {
  test("answers for every input, and reads only", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.update("s", { phase: "approval" });
    const end = await rollcall.feedEnd();
    for (const [id, reason] of [
      ["s", "session_resumable"],
      ["no", "session_not_found"],
      ["../x", "session_not_found"],
    ] as const)
      expect((await rollcall.shouldResume(id)).reason).toBe(reason);
    expect(await rollcall.feedEnd()).toBe(end);
  });

  test("is expired after exactly thirty minutes", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.update("s", { phase: "approval" });
    world.clock.advance({ minutes: 30, ms: -1 });
    expect(await rollcall.shouldResume("s")).toEqual({
      resume: true,
      reason: "session_resumable",
      how: "record",
    });
    world.clock.advance({ ms: 1 });
    expect(await rollcall.shouldResume("s")).toEqual({ resume: false, reason: "expired", how: null });
  });

  test("is unavailable when the store cannot be read", async () => {
    using world = tempWorld();
    const rollcall = await world.open();
    await rollcall.close();
    expect((await rollcall.shouldResume("s")).reason).toBe("unavailable");
  });
});

describe("closing", () => {
  test("happens at the end of the block that holds it", async () => {
    using world = tempWorld();
    let kept: Awaited<ReturnType<typeof world.open>>;
    {
      await using rollcall = await world.open();
      kept = rollcall;
      await rollcall.create({ id: "s" });
    }
    expect(await refusalOf(kept.find("s"))).toBe("store_closed");
    await using again = await world.open();
    expect((await again.get("s")).id).toBe("s");
  });
});
