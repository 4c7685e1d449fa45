import { expect, test } from "vitest";
import { newUser } from "./rollcall.ts";

test("should-resume says yes with exit 0 and no with exit 1, always with the four keys", async () => {
  using user = newUser();
  const id = await user.create();
  const no = await user.rollcall(["should-resume", id, "--json"]);
  await user.ok(["update", id, "--phase", "approval"]);
  const yes = await user.rollcall(["should-resume", id, "--json"]);
  expect([no.code, no.json]).toEqual([
    1,
    { resume: false, reason: "phase_not_resumable", how: null, session_id: id },
  ]);
  expect([yes.code, yes.json]).toEqual([
    0,
    { resume: true, reason: "session_resumable", how: "record", session_id: id },
  ]);
  expect((await user.rollcall(["should-resume", id])).stdout).toBe("yes: session_resumable (record)\n");
});

test("should-resume gives each reason that a record can have", async () => {
  using user = newUser();
  const old = new Date(Date.now() - 31 * 60_000).toISOString();
  await user.upsert(
    { id: "expired", last_active_at: old },
    { id: "erring" },
    { id: "unready" },
    { id: "final" },
  );
  // Said now, an update would be activity: the library says it at its own time.
  await using library = await user.library();
  const at = (body: object) => [{ id: `e${Math.random()}`, at: old, channel: null, body }] as never;
  await library.context.store.change("expired", () => at({ kind: "updated", phase: "planning" }));
  for (const id of ["erring", "unready"]) await library.update(id, { phase: "planning" });
  for (let errors = 0; errors < 3; errors++) await library.update("erring", { error: "no" });
  await library.update("unready", { resumeReady: false });
  await library.finalize("final", "completed");
  const reasons: unknown[] = [];
  for (const id of ["expired", "erring", "unready", "final", "nobody"]) {
    const { code, json } = await user.rollcall(["should-resume", id, "--json"]);
    reasons.push([code, json.reason, json.session_id]);
  }
  expect(reasons).toEqual([
    [1, "expired", "expired"],
    [1, "too_many_errors", "erring"],
    [1, "not_ready", "unready"],
    [1, "finalized", "final"],
    [1, "session_not_found", "nobody"],
  ]);
});
