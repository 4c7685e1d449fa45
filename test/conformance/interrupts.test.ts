import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, slowTest, TO_THE_END, toATurn } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";

matrix(({ program, kind }) => {
  const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";

  test("interrupted in mid-turn", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:half]][[gate:never]]");
    await lab.model.asked("never");
    await session.at("turn running", "running", { via: toATurn(kind) });
    await lab.ok(["interrupt", session.id]);
    const causeMs = await session.inputGivenMs("interrupt");
    const shown = await session.at("interrupted", over, { via: TO_THE_END, causeMs });
    if (kind === "autonomous") expect(shown.outcome).toBe("interrupted");
  });

  test("interrupted during a tool", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[tool:touch begun; tail -f /dev/null]]", ...unasked(program));
    await expect.poll(() => existsSync(join(lab.place.project, "begun")), { timeout: 60_000 }).toBe(true);
    await session.at("tool running", "running", { via: toATurn(kind) });
    await lab.ok(["interrupt", session.id]);
    const causeMs = await session.inputGivenMs("interrupt");
    await session.at("interrupted", over, { via: TO_THE_END, causeMs });
  });

  test("interrupted at a permission", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[risky:touch asked-for]]");
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
    await lab.ok(["interrupt", session.id]);
    const causeMs = await session.inputGivenMs("interrupt");
    await session.at("interrupted", over, { via: ["running", ...TO_THE_END], causeMs });
    expect(existsSync(join(lab.place.project, "asked-for"))).toBe(false);
  });
});

matrix(
  ({ program, kind }) => {
    test("another text right after Esc", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[gate:never]]");
      await lab.model.asked("never");
      await session.at("turn running", "running", { via: toATurn(kind) });
      await lab.ok(["interrupt", session.id]);
      await session.at("interrupted", "waiting_input:prompt");
      await session.send("[[text:fresh]]");
      await session.at("turn done", "waiting_input:prompt", { via: ["running"] });
      expect(lab.lastTurn()?.prompt).toBe("[[text:fresh]]");
    });

    slowTest("interrupted at a permission, ten times in a row", async () => {
      await using lab = await newLab(program);
      const session = await lab.start(kind);
      await lab.ok(["wait", session.id, "--timeout", "60s"]);
      for (let turn = 1; turn <= 10; turn++) {
        await session.send(`[[risky:touch asked-for-${turn}]]`);
        await session.at(`permission ${turn} asked`, "waiting_input:permission", { via: ["running"] });
        await lab.ok(["interrupt", session.id]);
        await session.at(`interrupted ${turn}`, "waiting_input:prompt", { via: ["running"] });
        expect((await session.get()).turn).toMatchObject({ number: turn, outcome: "interrupted" });
      }
    });

    slowTest("Esc in mid-turn, shown right for as long as it lasts", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[gate:never]]");
      await lab.model.asked("never");
      await session.at("turn running", "running", { via: toATurn(kind) });
      await lab.ok(["keys", session.id, "Escape"]);
      // The first one only makes OpenCode ask for another.
      if (program === "opencode") await lab.ok(["keys", session.id, "Escape"]);
      await session.at("interrupted by a key", "waiting_input:prompt");
      await session.stays("interrupted for 90 s", "waiting_input:prompt", 90_000);
    });
  },
  { kinds: ["interactive"] },
);

matrix(
  ({ program, kind }) => {
    test("interrupted while a text waits", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[gate:never]]");
      await lab.model.asked("never");
      await session.at("turn running", "running", { via: toATurn(kind) });
      const queued = await session.queue("[[gate:second]][[text:two]]");
      await lab.ok(["interrupt", session.id]);
      await lab.model.asked("second");
      const via = ["waiting_input:prompt"];
      await session.stays("turn of the text that waited", "running", 500, { via });
      lab.model.open("second");
      await session.at("turn done", "waiting_input:prompt");
      // Claude reports both as one turn.
      expect(await queued.turn).toBe(program === "claude" ? 1 : 2);
      expect((await session.entries()).at(-1)).toMatchObject({ role: "assistant", text: "two" });
    });
  },
  { programs: ["claude", "codex", "gemini"], kinds: ["interactive"] },
);
