import { expect, test } from "vitest";
import { createSubagent } from "../../src/record/create.ts";
import { newLiveUser } from "./user.ts";

const EVIDENCE = { source: "transcript", rule: "subagent_found", excerpt: null } as const;

/** A live session with a sub-agent, as a daemon would have found it. */
async function withSubagent() {
  const user = newLiveUser();
  const { id } = await user.start(["scripted", "--name", "parent"]);
  await user.ok(["wait", id, "--until", "waiting_input"]);
  const library = await user.library();
  const parent = await library.context.store.findRow(id);
  if (!parent) throw new Error("the parent is not there");
  const given = { nativeId: "a1", agentName: "Explore", purpose: "look", evidence: EVIDENCE };
  const child = await createSubagent(library.context, parent, given);
  await library.close();
  return { user, id, child };
}

test("what needs a process says of a sub-agent that it belongs to its parent, and changes nothing", async () => {
  const { user, id, child } = await withSubagent();
  await using _ = user;
  for (const verb of ["end", "pause", "interrupt", "attach", "resume", "fork"]) {
    const { code, stdout, stderr } = await user.rollcall([verb, child]);
    expect([verb, code, `${stdout}${stderr}`]).toEqual([
      verb,
      4,
      expect.stringContaining(`parent, session ${id}`),
    ]);
  }
  expect((await user.rollcall(["send", child, "hello"])).code).toBe(4);
  expect(await user.get(child)).toMatchObject({ state: "running", parent_id: id, origin: "subagent" });
});

test("a sub-agent stands below its parent on the roll, and ends with it", async () => {
  const { user, id, child } = await withSubagent();
  await using _ = user;
  for (const args of [[], ["list"]]) {
    const lines = (await user.ok(args)).stdout.split("\n");
    const at = lines.findIndex((line) => line.includes("parent"));
    expect(lines.slice(at).find((line) => line.includes("Explore"))).toContain("└ Explore");
  }
  await user.ok(["end", id]);
  await user.ok(["wait", child, "--until", "stopped"]);
  expect(await user.get(child)).toMatchObject({ state: "stopped", outcome: "interrupted" });
});
