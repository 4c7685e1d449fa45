import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cleanupOldSessions,
  createSession,
  finalizeSession,
  getSession,
  listSessions,
  shouldResume,
  updateState,
} from "../index.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { tempWorld } from "../testing/temp-rollcall.ts";
import { defaultRollcall } from "./default.ts";

/** The fifteen tests that document 001 names, through its seven functions on the default store. */
describe("document 001", () => {
  const world = tempWorld();
  const folderBefore = process.cwd();

  beforeAll(() => {
    process.env.ROLLCALL_HOME = world.home;
    process.chdir(world.workspace);
  });
  afterAll(async () => {
    await (await defaultRollcall()).close();
    process.chdir(folderBefore);
    world[Symbol.dispose]();
  });

  test("test_create_session", async () => {
    const id = await createSession("terraform-architect", "approval_workflow", { task_id: "T001" });
    expect(id).toMatch(/^session-\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(await getSession(id)).toMatchObject({
      id,
      agentName: "terraform-architect",
      purpose: "approval_workflow",
      phase: "initializing",
      metadata: { task_id: "T001" },
      resumeReady: false,
      history: [],
      errorCount: 0,
      lastError: null,
      finalizedAt: null,
      durationMs: null,
      summary: null,
    });
  });

  test("test_update_state", async () => {
    const id = await createSession("a");
    expect(await updateState(id, "investigating", { finding: "OOMKilled" })).toBe(true);
    expect(await getSession(id)).toMatchObject({
      phase: "investigating",
      metadata: { finding: "OOMKilled" },
      resumeReady: true,
    });
  });

  test("test_should_resume_success", async () => {
    for (const phase of ["approval", "investigating", "planning"] as const) {
      const id = await createSession("a");
      await updateState(id, phase);
      expect(await shouldResume(id)).toBe(true);
    }
  });

  test("test_should_resume_not_resumable_phase", async () => {
    for (const phase of ["initializing", "executing", "validating", "completed"] as const) {
      const id = await createSession("a");
      await updateState(id, phase);
      expect(await shouldResume(id)).toBe(false);
    }
  });

  test("test_should_resume_timeout", async () => {
    const old = await agedSession(31);
    const recent = await agedSession(29);
    expect([await shouldResume(old), await shouldResume(recent)]).toEqual([false, true]);
  });

  test("test_should_resume_too_many_errors", async () => {
    const id = await createSession("a");
    await updateState(id, "approval", null, "one");
    await updateState(id, null, null, "two");
    expect(await shouldResume(id)).toBe(true);
    await updateState(id, null, null, "three");
    expect(await shouldResume(id)).toBe(false);
  });

  test("test_finalize_session", async () => {
    const id = await createSession("a");
    await updateState(id, "approval");
    expect(await finalizeSession(id, "completed", "Terraform applied")).toBe(true);
    const session = await getSession(id);
    expect(session).toMatchObject({
      phase: "completed",
      summary: "Terraform applied",
      outcome: "success",
      resumeReady: false,
    });
    expect(session?.durationMs).toBe(
      Date.parse(session?.finalizedAt as string) - Date.parse(session?.createdAt as string),
    );
    expect(await finalizeSession(id, "failed")).toBe(false);
  });

  test("test_phase_history", async () => {
    const id = await createSession("a");
    for (const phase of ["investigating", "planning", "approval"] as const) await updateState(id, phase);
    expect((await getSession(id))?.history).toMatchObject([
      { fromPhase: "initializing", toPhase: "investigating", timestamp: expect.stringMatching(/Z$/) },
      { fromPhase: "investigating", toPhase: "planning" },
      { fromPhase: "planning", toPhase: "approval" },
    ]);
  });

  test("test_list_sessions", async () => {
    const [first, second] = [await createSession("lister"), await createSession("lister")];
    await createSession("another");
    await finalizeSession(first, "completed");
    const ids = async (activeOnly: boolean) =>
      (await listSessions(activeOnly, "lister")).map(({ id }) => id).sort();
    expect(await ids(false)).toEqual([first, second].sort());
    expect(await ids(true)).toEqual([second]);
    expect((await listSessions()).length).toBeGreaterThan(2);
  });

  test("test_cleanup_old_sessions", async () => {
    const old = await agedSession(25 * 60);
    const recent = await agedSession(23 * 60);
    expect(await cleanupOldSessions(24)).toBe(1);
    expect([await getSession(old), (await getSession(recent))?.id]).toEqual([null, recent]);
    expect(await cleanupOldSessions()).toBe(0);
  });

  test("test_metadata_merge", async () => {
    const id = await createSession("a", "general", { task_id: "T001", tags: ["one"] });
    await updateState(id, "planning", { tags: ["two"], plan: { file: "plan.json" } });
    expect((await getSession(id))?.metadata).toEqual({
      task_id: "T001",
      tags: ["two"],
      plan: { file: "plan.json" },
    });
  });

  test("test_error_tracking", async () => {
    const id = await createSession("a");
    await updateState(id, null, null, "first");
    await updateState(id, null, null, "second");
    expect(await getSession(id)).toMatchObject({
      errorCount: 2,
      lastError: { message: "second" },
      phase: "initializing",
    });
  });

  test("test_invalid_phase", async () => {
    const id = await createSession("a");
    expect(await updateState(id, "dreaming" as never, { a: 1 }, "error")).toBe(false);
    expect(await getSession(id)).toMatchObject({
      phase: "initializing",
      metadata: {},
      errorCount: 0,
      history: [],
    });
    expect(await finalizeSession(id, "planning" as never)).toBe(false);
  });

  test("test_nonexistent_session", async () => {
    for (const id of ["session-20260108-180530-abc123", "../../etc/passwd", "", "\0"])
      expect([
        await getSession(id),
        await updateState(id, "planning"),
        await shouldResume(id),
        await finalizeSession(id, "completed"),
      ]).toEqual([null, false, false, false]);
  });

  test("test_convenience_functions", async () => {
    const id = await createSession("gitops-operator", "investigation", { issue: "pod-crash-loop" });
    await updateState(id, "investigating", { findings: ["OOMKilled"] });
    expect(await shouldResume(id)).toBe(true);
    const findings = (await getSession(id))?.metadata.findings as string[];
    await updateState(id, null, { findings: [...findings, "config"] });
    await updateState(id, "executing");
    expect(await finalizeSession(id, "completed", "Fixed")).toBe(true);
    expect((await listSessions(false, "gitops-operator")).map(({ metadata }) => metadata.findings)).toEqual([
      ["OOMKilled", "config"],
    ]);
  });

  /** A record in phase approval that was last active so many minutes ago. */
  async function agedSession(minutes: number): Promise<string> {
    const clock = new FakeClock(new Date(Date.now() - minutes * 60_000).toISOString());
    await using rollcall = await world.open({ now: clock.now });
    const { id } = await rollcall.create();
    await rollcall.update(id, { phase: "approval" });
    return id;
  }
});
