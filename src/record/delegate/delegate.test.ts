import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { delegation, stopped } from "../../testing/delegation.ts";
import { created, newEvent, T0 } from "../../testing/events.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import type { Rollcall } from "../rollcall.ts";
import { adviseDelegation, stopSubagent } from "./delegate.ts";

describe("adviseDelegation", () => {
  test("gives an orchestrator what it needs to go on with a resumable session", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await resumable(rollcall, "s", { metadata: { plan_file: "plan.json" } });
    await rollcall.addEntry("s", { role: "user", kind: "text", text: "go on", tool: null });
    expect(await adviseDelegation(rollcall, delegation({ agentName: "a", agentId: "s" }))).toMatchObject({
      shouldResume: true,
      reason: "session_resumable",
      agentId: "s",
      resumeMetadata: {
        previousPhase: "approval",
        createdAt: T0,
        sessionMetadata: { plan_file: "plan.json" },
        context: [{ text: "go on" }],
      },
      candidates: [],
    });
  });

  test("without an id names the resumable sessions of the same agent name and task", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await resumable(rollcall, "mine", { metadata: { task_id: "T1" } });
    await resumable(rollcall, "other", { metadata: { task_id: "T2" } });
    const advice = await adviseDelegation(rollcall, delegation({ agentName: "a", taskId: "T1" }));
    expect(advice).toMatchObject({ shouldResume: false, reason: "no_existing_session", agentId: null });
    expect(candidatesOf(advice)).toEqual(["mine"]);
  });

  test("for an agent that calls by itself names sessions of its workspace and children of its session", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "caller", agent_type: "codex", native_id: "n" }]);
    await resumable(rollcall, "here", { workspacePath: "/here" });
    await resumable(rollcall, "below", { workspacePath: "/there", parentId: "caller" });
    await resumable(rollcall, "away", { workspacePath: "/there" });
    const near = { agentType: "codex", nativeId: "n", cwd: "/here" } as const;
    const advice = await adviseDelegation(rollcall, delegation({ agentName: "a", caller: near }));
    expect(candidatesOf(advice).sort()).toEqual(["below", "here"]);
    const caller = { ...near, agentType: "claude" } as const;
    const ofAnother = await adviseDelegation(rollcall, delegation({ agentName: "a", caller }));
    expect(candidatesOf(ofAnother)).toEqual(["here"]);
  });

  test("says that a session is gone, and that one is damaged", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    using db = closing(new Database(join(world.home, "rollcall.db")));
    db.it.prepare("UPDATE sessions SET body = '{'").run();
    for (const [agentId, reason] of [
      ["gone", "session_not_found"],
      ["s", "corrupt"],
    ] as const)
      expect(await adviseDelegation(rollcall, delegation({ agentId }))).toEqual({
        ...{ shouldResume: false, reason, agentId, resumeMetadata: null, candidates: [] },
      });
  });

  test("answers however long sessions stay resumable", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const config = { ...rollcall.context.config, "resume.max_idle": "9999999999w" };
    const patient = Object.assign(Object.create(rollcall), { context: { ...rollcall.context, config } });
    expect(await adviseDelegation(patient, delegation({ agentName: "a" }))).toMatchObject({
      reason: "no_existing_session",
    });
  });

  test("reads the row of a session once, for the verdict and the count", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await resumable(rollcall, "s");
    const reads: string[] = [];
    const { store } = rollcall.context;
    const counted = (name: "find" | "findRow") => (id: string) => {
      reads.push(name);
      return store[name](id);
    };
    const counting = { ...store, find: counted("find"), findRow: counted("findRow") };
    const context = { ...rollcall.context, store: counting };
    const watched = Object.assign(Object.create(rollcall), { context });
    await adviseDelegation(watched, delegation({ agentName: "a", agentId: "s" }));
    expect(reads).toEqual(["findRow"]);
    const { seq } = await rollcall.get("s");
    expect(await Array.fromAsync(store.delegations())).toMatchObject([
      { agentName: "a", sessionId: "s", seq },
    ]);
  });
});

describe("stopSubagent", () => {
  test.each([
    [true, "completed"],
    [false, "failed"],
  ])("finalises the session of a sub-agent whose end was clean (%o) as %s", async (isClean, phase) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const report = await stopSubagent(rollcall, stopped({ agentId: "s", isClean, summary: "Planned." }));
    expect(report).toEqual({ finalized: true, reason: phase, agentId: "s" });
    expect(await rollcall.get("s")).toMatchObject({ phase, summary: "Planned." });
  });

  test("does nothing without an id, and for a session that is not there", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const left = { finalized: false, reason: "no_agent_id", agentId: null };
    expect(await stopSubagent(rollcall, stopped())).toEqual(left);
    const reason = "session_not_found";
    expect(await stopSubagent(rollcall, stopped({ agentId: "s" }))).toEqual({
      ...left,
      reason,
      agentId: "s",
    });
  });

  test("finds the session of a reported sub-agent by its native id or the task that named it", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "native", agent_type: "codex", native_id: "n" }]);
    await rollcall.create({ id: "named", agentName: "a" });
    await adviseDelegation(rollcall, delegation({ agentName: "a", taskId: "T", agentId: "named" }));
    const subagent = { agentType: "codex", agentName: "a", taskId: "T" } as const;
    for (const agentId of ["n", "m"])
      expect(await stopSubagent(rollcall, stopped({ agentId, subagent }))).toMatchObject({ finalized: true });
    for (const id of ["native", "named"]) expect((await rollcall.get(id)).phase, id).toBe("completed");
  });

  test("leaves a session that Rollcall carries alone, though a delegation to a sub-agent named it", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const event = newEvent(created({ origin: "started", identity: { agentName: "a" } }));
    await rollcall.context.store.change("carried", () => [event]);
    await adviseDelegation(rollcall, delegation({ agentName: "a", taskId: "T", agentId: "carried" }));
    const subagent = { agentType: "codex", agentName: "a", taskId: "T" } as const;
    expect(await stopSubagent(rollcall, stopped({ agentId: "m", subagent }))).toMatchObject({
      reason: "session_not_found",
    });
  });

  test("leaves a reported sub-agent alone that is to be resumed, is final, or has no session", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await resumable(rollcall, "waits");
    await rollcall.create({ id: "final" });
    await rollcall.finalize("final", "failed");
    const subagent = { agentType: "codex", agentName: "a", taskId: null } as const;
    for (const [agentId, reason] of [
      ["waits", "resume_ready"],
      ["final", "finalized"],
      ["nobody", "session_not_found"],
    ] as const)
      expect(await stopSubagent(rollcall, stopped({ agentId, subagent }))).toEqual({
        ...{ finalized: false, reason, agentId },
      });
  });
});

async function resumable(
  rollcall: Rollcall,
  id: string,
  more: Partial<Parameters<Rollcall["create"]>[0]> & { readonly workspacePath?: string } = {},
): Promise<void> {
  const { workspacePath, ...identity } = more;
  const workspace = workspacePath === undefined ? {} : { workspace: workspacePath, file: false };
  await rollcall.create({ id, agentName: "a", ...workspace, ...identity });
  await rollcall.update(id, { phase: "approval" });
}

function candidatesOf({ candidates }: Awaited<ReturnType<typeof adviseDelegation>>): string[] {
  return candidates.map(({ agentId }) => agentId);
}

function closing(it: Database.Database): Disposable & { it: Database.Database } {
  return { it, [Symbol.dispose]: () => void it.close() };
}
