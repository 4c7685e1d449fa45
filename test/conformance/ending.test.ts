import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { COMING_UP, matrix, toATurn } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";

const MOMENTS = [
  ["ended by us in mid-turn", "[[gate:never]]", "running"],
  ["ended by us in a tool", "[[tool:touch begun; tail -f /dev/null]]", "running"],
  ["ended by us at a request", "[[risky:touch x]]", "waiting_input:permission"],
] as const;

matrix(({ program, kind }) => {
  test.each(MOMENTS)("%s", async (moment, text, state) => {
    await using lab = await newLab(program);
    const isInTool = text.includes("begun");
    const session = await begin(lab, kind, text, ...(isInTool ? unasked(program) : []));
    const hasBegun = () => !isInTool || existsSync(join(lab.place.project, "begun"));
    await expect.poll(hasBegun, { timeout: 120_000 }).toBe(true);
    await session.at("before the end", state, { via: toATurn(kind) });
    const causeMs = Date.now();
    const { killed, remaining } = (await lab.ok(["end", session.id, "--json"])).only;
    const shown = await session.at(moment, "stopped", { via: ["stopping"], causeMs });
    expect(shown).toMatchObject({ outcome: "interrupted" });
    expect([killed, remaining]).toEqual([expect.any(Number), []]);
  });

  test("ended by us before the first turn", async () => {
    await using lab = await newLab(program);
    const session = await lab.start(kind);
    await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
    const { remaining } = (await lab.ok(["end", session.id, "--json"])).only;
    const via = [...COMING_UP, "waiting_input:prompt", "stopping"];
    const shown = await session.at("ended before the first turn", "stopped", { via });
    expect([shown.outcome, remaining]).toEqual(["interrupted", []]);
  });
});
