import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, toATurn } from "./matrix.ts";
import { begin } from "./turn.ts";

matrix(({ program, kind }) => {
  test("transcript removed", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:said before]][[gate:first]]");
    await lab.model.asked("first");
    await session.at("turn running", "running", { via: toATurn(kind) });
    const data = async () => (await lab.ok(["data", session.id, "--json"])).json;
    await expect.poll(async () => (await data()).entries, { timeout: 20_000 }).not.toEqual([]);
    expect((await data()).observability).toBe("live");
    for (const path of transcripts(lab.place.home)) rmSync(path);
    expect((await data()).observability).toBe("transcript_lost");
    await session.stays("transcript removed", "running", 500);
    expect((await data()).entries).not.toEqual([]);
  });
});

function transcripts(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const isOne = (name: string) => /(projects|sessions)\/.*\.jsonl$/.test(name);
  return names.filter(isOne).map((name) => join(home, name));
}
