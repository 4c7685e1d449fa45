import { openRollcall, type Rollcall } from "../src/index.ts";

/** A store in its own folder. No secrets of the machine's environment are searched for: runs are alike everywhere. */
export function openIn(home: string): Promise<Rollcall> {
  return openRollcall({ home, cwd: home, env: {} });
}

/** Sessions without record files, as an orchestrator makes them, at work in a phase that can be resumed. */
export async function createSessions(rollcall: Rollcall, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, no) => `bench-${String(no).padStart(6, "0")}`);
  await Promise.all(
    ids.map(async (id, no) => {
      await rollcall.create({
        id,
        agentName: "terraform-architect",
        taskId: `task-${no}`,
        goal: "Plan the network of the staging environment and have the plan approved.",
        metadata: { repository: "infrastructure", ticket: `OPS-${no}` },
        file: false,
      });
      await rollcall.update(id, { phase: "planning" });
    }),
  );
  return ids;
}

export function progressOf(step: number): { step: number; last_command: string; files_read: number } {
  return { step, last_command: "terraform plan -out=staging.plan", files_read: step % 40 };
}

/** Half a second apart, so that 100,000 of them are all younger than the day after which cleanup takes them. */
const APART_MS = 500;
const AT_ONCE = 2000;

export async function fill(rollcall: Rollcall, count: number): Promise<void> {
  const now = Date.now();
  await upsertMany(rollcall, count, (no) => ({ id: `kept-${no}`, at: now - no * APART_MS }));
}

/** Sessions that cleanup takes: last active a month ago. */
export async function addOld(rollcall: Rollcall, count: number, round: number): Promise<void> {
  const monthAgo = Date.now() - 30 * 86_400_000;
  await upsertMany(rollcall, count, (no) => ({ id: `old-${round}-${no}`, at: monthAgo + no }));
}

async function upsertMany(
  rollcall: Rollcall,
  count: number,
  describe: (no: number) => { id: string; at: number },
): Promise<void> {
  for (let start = 0; start < count; start += AT_ONCE) {
    const lines = Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, index) => {
      const { id, at } = describe(start + index);
      const time = new Date(at).toISOString();
      return {
        id,
        agent_type: "claude",
        agent_name: "reviewer",
        purpose: "review",
        status: "completed",
        created_at: time,
        last_active_at: time,
        metadata: { repository: "infrastructure", pull_request: start + index },
      };
    });
    await rollcall.upsert(lines);
  }
}
