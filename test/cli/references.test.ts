import { expect, test } from "vitest";
import { newUser, type User } from "./rollcall.ts";

async function found(user: User, reference: string): Promise<string | undefined> {
  const given = await user.rollcall(["get", reference, "--json"]);
  return given.code === 0 ? given.json.id : given.error.code;
}

test("the full id wins over a name and over a suffix that equal it", async () => {
  using user = newUser();
  const made = await user.create("--name", "exact");
  const suffix = made.slice(-6);
  await user.create("--id", "exact");
  await user.create("--id", suffix);
  expect(await found(user, "exact")).toBe("exact");
  expect(await found(user, suffix)).toBe(suffix);
  expect(await found(user, made)).toBe(made);
});

test("the six digits that tables show find a session, before a name that equals them", async () => {
  using user = newUser();
  const id = await user.create();
  await user.create("--id", "other", "--name", id.slice(-6));
  expect((await user.ok(["list"])).stdout).toContain(id.slice(-6));
  expect(await found(user, id.slice(-6))).toBe(id);
});

test("the digits at the end of an id that a caller brought are not a suffix", async () => {
  using user = newUser();
  await user.create("--id", "mine-abc123");
  expect(await found(user, "abc123")).toBe("session_not_found");
});

test("two sessions with the same six digits are refused with both as candidates", async () => {
  using user = newUser();
  const ids = ["session-20260101-000000-abcdef", "session-20260102-000000-abcdef"];
  for (const id of ids) await user.create("--id", id);
  const given = await user.rollcall(["get", "abcdef", "--json"]);
  expect([given.code, given.error.code]).toEqual([2, "ambiguous_id"]);
  for (const id of ids) expect(given.error.hint).toContain(id);
});

test("a name that several records have means the newest of them, whatever their states", async () => {
  using user = newUser();
  for (const id of ["old", "newer"]) await user.create("--id", id, "--name", "nightly");
  expect(await found(user, "nightly")).toBe("newer");
  await user.ok(["finalize", "newer", "completed"]);
  await user.ok(["update", "old", "--phase", "planning"]);
  expect(await found(user, "nightly")).toBe("newer");
  await user.ok(["delete", "nightly"]);
  expect(await found(user, "nightly")).toBe("old");
});

test("a beginning is never enough, of an id, of the six digits or of a name", async () => {
  using user = newUser();
  const id = await user.create("--name", "nightly");
  for (const part of [id.slice(0, -1), id.slice(-5), "night", "session-", "Nightly"])
    expect(await found(user, part), part).toBe("session_not_found");
});

test("last is the newest session, and nobody where there is none", async () => {
  using user = newUser();
  expect(await found(user, "last")).toBe("session_not_found");
  await user.create("--id", "first");
  await user.create("--id", "second");
  expect(await found(user, "last")).toBe("second");
});

test("self is the session around the command, and exits 4 where there is none", async () => {
  using user = newUser();
  const id = await user.create();
  const env = { ROLLCALL_SESSION_ID: id };
  expect((await user.ok(["get", "self", "--json"], { env })).json.id).toBe(id);
  expect((await user.ok(["reconcile", "--current", "self", "--json"], { env })).json).toEqual({
    reconciled: 0,
  });
  const outside = await user.rollcall(["get", "self", "--json"]);
  expect([outside.code, outside.error.code]).toEqual([4, "not_inside_session"]);
  const gone = await user.rollcall(["get", "self", "--json"], { env: { ROLLCALL_SESSION_ID: "gone" } });
  expect([gone.code, gone.error.code]).toEqual([3, "session_not_found"]);
});

test("inside a session the parent is that session, unless --parent names another", async () => {
  using user = newUser();
  const [around, other] = [await user.create(), await user.create("--name", "other")];
  const env = { ROLLCALL_SESSION_ID: around };
  expect((await user.ok(["create", "--json"], { env })).json.parent_id).toBe(around);
  expect((await user.ok(["create", "--parent", "other", "--json"], { env })).json.parent_id).toBe(other);
  expect((await user.ok(["create", "--json"])).json.parent_id).toBeNull();
  const missing = await user.rollcall(["create", "--parent", "nobody", "--json"], { env });
  expect([missing.code, missing.error.code]).toEqual([3, "session_not_found"]);
});

test("output for programs always has the full id, whichever way the session was named", async () => {
  using user = newUser();
  const id = await user.create("--name", "n");
  await user.ok(["update", id.slice(-6), "--phase", "planning"]);
  expect((await user.ok(["should-resume", "n", "--json"])).json.session_id).toBe(id);
  expect((await user.ok(["list", "-q"])).stdout.trim()).toBe(id);
  expect((await user.ok(["delete", id.slice(-6), "--json"])).only.session_id).toBe(id);
});
