import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, TO_THE_END, toATurn } from "./matrix.ts";
import { transcripts } from "./transcripts.ts";
import { begin } from "./turn.ts";

matrix(({ program, kind }) => {
  test("transcript removed", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:said before]][[gate:first]][[text:, said after]]");
    await lab.model.asked("first");
    await session.at("turn running", "running", { via: toATurn(kind) });
    const data = async () => (await lab.ok(["data", session.id, "--json"])).json;
    await expect.poll(async () => (await data()).entries, { timeout: 60_000 }).not.toEqual([]);
    expect((await data()).observability).toBe("live");
    const removed = transcripts(lab.place.home);
    for (const path of removed) rmSync(path);
    expect(removed).not.toEqual([]);
    // The server of OpenCode goes on to tell everything.
    const isTold = program === "opencode";
    expect((await data()).observability).toBe(isTold ? "live" : "transcript_lost");
    await session.stays("transcript removed", "running", 500);
    expect((await data()).entries).not.toEqual([]);
    if (!isTold) return;
    lab.model.open("first");
    const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
    await session.at("turn done", over, { via: TO_THE_END });
    expect((await session.entries()).at(-1)).toMatchObject({ text: "said before, said after" });
  });
});
