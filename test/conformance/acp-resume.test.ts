import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import type { Lab } from "./lab.ts";
import { COMING_UP, matrix } from "./matrix.ts";
import { transcripts } from "./transcripts.ts";
import { begin } from "./turn.ts";
import type { Watched } from "./watched.ts";

/** All that was typed in the conversation by the time of this text. */
function typedBy(lab: Lab, text: string): readonly string[] | undefined {
  return lab.model.requests.findLast(({ prompt }) => prompt === text)?.prompts;
}

matrix(
  ({ program }) => {
    test("resume", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[text:first answer]]");
      const before = await session.at("first turn done", PROMPT, { via: ["running"] });
      await lab.ok(["end", session.id]);
      await lab.ok(["resume", session.id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
      await lab.model.asked("second");
      const via = ["stopping", "stopped", ...COMING_UP];
      await session.at("resumed and running", "running", { via });
      lab.model.open("second");
      const after = await session.at("resumed turn done", PROMPT);
      expect(after).toMatchObject({ native_id: before.native_id, generation: 2, usage: { turns: 2 } });
      const texts = ["[[text:first answer]]", "[[gate:second]][[text:second answer]]"];
      expect(typedBy(lab, texts[1] as string)).toEqual(texts);
      expect((await session.entries()).filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(
        texts,
      );
    });

    test("fork", async () => {
      await using lab = await acpLab(program);
      const text = "[[text:first answer]]";
      const session = await begin(lab, KIND, text);
      const before = await session.at("first turn done", PROMPT, { via: ["running"] });
      await lab.ok(["end", session.id]);
      const { id } = (await lab.ok(["fork", session.id, "-d", "--json", "--prompt", "[[gate:fork]]"])).json;
      const fork = await lab.watch(id, KIND);
      await lab.model.asked("fork");
      await fork.at("fork running", "running", { via: COMING_UP });
      lab.model.open("fork");
      const forked = await fork.at("fork's turn done", PROMPT);
      expect(forked.native_id).not.toBe(before.native_id);
      expect(forked.usage).toMatchObject({ turns: 1 });
      expect(typedBy(lab, "[[gate:fork]]")).toEqual([text, "[[gate:fork]]"]);
    });

    test("resume after our crash", async () => {
      await using lab = await acpLab(program);
      const texts = ["[[text:first answer]]", "[[text:second answer]]"];
      const session = await begin(lab, KIND, texts[0] as string);
      const before = await session.at("first turn done", PROMPT, { via: ["running"] });
      // Daemon and agent go at once: what comes back has to open the conversation anew, and says how.
      const pid = await session.pid();
      await lab.killDaemon();
      process.kill(pid, "SIGKILL");
      await lab.ok(["up"]);
      await lab.ok(["wait", session.id, "--until", "failed", "--timeout", "60s"]);
      await lab.ok(["resume", session.id, "-d", "--prompt", texts[1] as string]);
      const via = ["stopping", "failed", ...COMING_UP];
      const after = await session.at("resumed turn done", PROMPT, { via });
      expect(after).toMatchObject({ native_id: before.native_id, generation: 2, usage: { turns: 2 } });
      expect(typedBy(lab, texts[1] as string)).toEqual(texts);
      const notices = (await session.entries()).filter(({ kind }) => kind === "notice");
      expect(notices.map(({ text }) => text)).toContainEqual(
        expect.stringMatching(/^The conversation was continued by session\/(resume|load)\.$/),
      );
    });

    test("transcript removed", async () => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, "[[text:said before]][[gate:first]][[text:, said after]]");
      await lab.model.asked("first");
      await session.at("turn running", "running");
      for (const path of transcripts(lab.place.home)) rmSync(path);
      await session.stays("transcript removed", "running", 300);
      lab.model.open("first");
      await session.at("turn done", PROMPT);
      const said = (await session.entries()).filter(({ role }) => role === "assistant").at(-1);
      expect(said?.text).toBe("said before, said after");
      // Codex goes on writing into the file that is gone: what it used is known by its adapter's totals alone.
      const isLost = program === "codex";
      await expect
        .poll(async () => (await session.get()).usage)
        .toMatchObject({ turns: 1, tokens_output: isLost ? null : expect.any(Number) });
      if (!isLost) return;
      const { reported } = (await lab.ok(["usage", session.id, "--json"])).json as { reported?: unknown };
      expect(reported).toMatchObject([{ tokens_output: expect.any(Number) }]);
    });

    test("two sessions in one folder, and our crash in mid-turn", async () => {
      await using lab = await acpLab(program);
      const sessions: Watched[] = [];
      for (const name of ["a", "b"]) {
        sessions.push(await begin(lab, KIND, `[[gate:${name}]][[text:answer ${name}]]`));
        await lab.model.asked(name);
      }
      await lab.killDaemon();
      await lab.ok(["up"]);
      for (const [index, session] of sessions.entries()) {
        await session.stays("after our crash", "running", 300, { via: ["running"] });
        lab.model.open("ab"[index] as string);
        const shown = await session.at("turn done", PROMPT);
        expect(shown).toMatchObject({ generation: 1, turn: { number: 1, outcome: "success" } });
        const said = (await session.entries()).filter(({ role }) => role === "assistant").at(-1);
        expect(said?.text).toBe(`answer ${"ab"[index]}`);
      }
      const { sessions: all } = (await lab.ok(["list", "--json"])).json as unknown as { sessions: unknown[] };
      // The histories that both leave on disk are theirs, and no sessions of others.
      expect(all).toHaveLength(2);
    });
  },
  { kinds: [KIND] },
);
