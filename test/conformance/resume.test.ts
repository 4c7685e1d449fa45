import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { byHand, type Lab, newLab } from "./lab.ts";
import { COMING_UP, matrix, TO_THE_END, toATurn } from "./matrix.ts";
import { WITH_FILES, type WithFiles } from "./not-offered.ts";
import { begin } from "./turn.ts";
import type { Watched } from "./watched.ts";

/** What a session that is resumed, or begins with a conversation, passes on its way into a turn. */
const AGAIN = ["stopping", "stopped", ...COMING_UP, "waiting_input:prompt", "running"];

matrix(({ program, kind }) => {
  const isInteractive = kind === "interactive";
  const over = isInteractive ? "waiting_input:prompt" : "stopped";
  const way = { via: [...toATurn(kind), ...TO_THE_END] };

  test("resume", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:first answer]]");
    const before = await session.at("first turn done", over, way);
    await lab.ok(["end", session.id]);
    await lab.ok(["resume", session.id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
    await lab.model.asked("second");
    await session.at("resumed and running", "running", { via: AGAIN });
    lab.model.open("second");
    const after = await session.at("resumed turn done", over, way);
    expect(after).toMatchObject({ native_id: before.native_id, generation: 2, usage: { turns: 2 } });
    const last = lab.lastTurn();
    expect(last?.prompts).toEqual(["[[text:first answer]]", "[[gate:second]][[text:second answer]]"]);
    expect((await session.entries()).filter(({ role }) => role === "user")).toHaveLength(2);
  });

  test("resume after our crash", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:first answer]][[gate:held]]");
    await lab.model.asked("held");
    await session.at("turn running", "running", { via: toATurn(kind) });
    await lab.killDaemon();
    await lab.ok(["up"]);
    await session.stays("after our crash", "running", 500);
    await lab.ok(["end", session.id]);
    await lab.ok(["resume", session.id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
    await lab.model.asked("second");
    await session.at("resumed and running", "running", { via: AGAIN });
    lab.model.open("second");
    await session.at("resumed turn done", over, way);
    expect((await session.get()).generation).toBe(2);
  });

  test("fork", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:first answer]]");
    const before = await session.at("first turn done", over, way);
    await lab.ok(["end", session.id]);
    const { id } = (
      await lab.ok(["fork", session.id, "-d", "--json", "--prompt", "[[gate:fork]][[text:other answer]]"])
    ).json;
    const fork = await lab.watch(id, kind);
    await lab.model.asked("fork");
    await fork.at("fork running", "running", { via: AGAIN });
    lab.model.open("fork");
    const after = await fork.at("fork's turn done", over, way);
    expect(after.forked_from).toBe(session.id);
    expect(after.native_id).not.toBe(before.native_id);
    expect(lab.lastTurn()?.prompts).toHaveLength(2);
    // What it copied was said and paid for by the first.
    expect(after.usage).toMatchObject({ turns: 1 });
  });

  test("two sessions in one folder", async () => {
    await using lab = await newLab(program);
    const texts = ["[[gate:a]][[text:answer a]]", "[[gate:b]][[text:answer b]]"] as const;
    // One after the other: in a new home Codex makes its databases, and two that do so at once break.
    const sessions: Watched[] = [];
    for (const [index, text] of texts.entries()) {
      sessions.push(await begin(lab, kind, text));
      await lab.model.asked("ab"[index] as string);
    }
    for (const gate of ["a", "b"]) lab.model.open(gate);
    const ended: Shown[] = [];
    for (const [index, session] of sessions.entries()) {
      ended.push(await session.at("turn done", over, way));
      const said = (await session.entries()).filter(({ role }) => role === "assistant");
      expect(said.map(({ text }) => text)).toEqual([`answer ${"ab"[index]}`]);
    }
    const natives = ended.map(({ native_id: native }) => native);
    expect(new Set(natives).size).toBe(2);
    // Gemini CLI tells its model nothing of the conversation.
    if (program === "gemini") return;
    for (const [index, native] of natives.entries()) {
      const asked = lab.model.requests.filter(({ conversationId }) => conversationId === native);
      expect(new Set(asked.map(({ prompt }) => prompt).filter(Boolean))).toContain(texts[index]);
    }
  });

  test("resume while another process holds it", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[gate:held]]");
    await lab.model.asked("held");
    await session.at("turn running", "running", { via: toATurn(kind) });
    const answer = await lab.rollcall(["resume", session.id, "-d", "--json", "--prompt", "more"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "conversation_held" } });
    await session.stays("resume refused", "running", 300);
  });
});

matrix(
  ({ program, kind }) => {
    const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
    const way = { via: [...toATurn(kind), ...TO_THE_END] };

    test("resume while a process outside Rollcall holds it", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:first answer]]");
      const { native_id: native } = await session.at("first turn done", over, way);
      await lab.ok(["end", session.id]);
      const again = {
        claude: ["-p", "--resume", String(native)],
        codex: ["exec", "--skip-git-repo-check", "resume", String(native)],
        gemini: ["--resume", String(native), "-p"],
      }[program];
      using started = byHand(lab, [...again, "[[gate:outside]][[text:said outside]]"]);
      await lab.model.asked("outside");
      const held = await lab.rollcall(["resume", session.id, "-d", "--json"]);
      expect(held).toMatchObject({ code: 4, error: { code: "conversation_held" } });
      expect((await session.get()).generation).toBe(1);
      lab.model.open("outside");
      await once(started.child, "close");
      await lab.ok(["resume", session.id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
      await lab.model.asked("second");
      await session.at("resumed and running", "running", { via: AGAIN });
      lab.model.open("second");
      await session.at("resumed turn done", over, way);
      expect(lab.lastTurn()?.prompts).toHaveLength(3);
    });

    test("resume after the agent deleted its files", async () => {
      await using lab = await newLab(program);
      await lab.ok(["config", "set", "archive.originals", "true"]);
      const session = await begin(lab, kind, "[[text:first answer]]");
      const before = await session.at("first turn done", over, way);
      await lab.ok(["end", session.id]);
      await lab.ok(["import"]);
      const files = deleteHistories(lab, program);
      await lab.ok(["resume", session.id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
      await lab.model.asked("second");
      await session.at("resumed and running", "running", { via: AGAIN });
      lab.model.open("second");
      const after = await session.at("resumed turn done", over, way);
      expect(after).toMatchObject({ native_id: before.native_id, generation: 2, usage: { turns: 2 } });
      expect(lab.lastTurn()?.prompts).toHaveLength(2);
      expect((await session.entries()).filter(({ role }) => role === "user")).toHaveLength(2);
      const now = historiesOf(lab, program);
      // Gemini CLI may make a second file beside its own, with nothing but a head.
      expect(program === "gemini" ? now.filter((name) => files.includes(name)) : now).toEqual(files);
      expect((await lab.ok(["list", "--json"])).json.sessions).toHaveLength(1);
    });
  },
  { programs: WITH_FILES },
);

matrix(
  ({ program, kind }) => {
    test("imported session resumed after the agent deleted its files", async () => {
      await using lab = await newLab(program);
      await lab.ok(["config", "set", "archive.originals", "true"]);
      const headless = { claude: ["-p"], codex: ["exec", "--skip-git-repo-check"] }[program];
      using before = byHand(lab, [...headless, "[[text:first answer]]"]);
      await once(before.child, "close");
      await lab.ok(["import"]);
      const [imported] = (await lab.ok(["list", "--json"])).json.sessions as Shown[];
      const id = imported?.id as string;
      expect(imported).toMatchObject({ origin: "imported", state: "stopped", usage: { turns: 1 } });
      deleteHistories(lab, program);
      await lab.ok(["resume", id, "-d", "--prompt", "[[gate:second]][[text:second answer]]"]);
      const session = await lab.watch(id, kind);
      await lab.model.asked("second");
      await session.at("resumed and running", "running", { via: AGAIN });
      await lab.killDaemon();
      await lab.ok(["up"]);
      lab.model.open("second");
      const after = await session.at("resumed turn done", "stopped", { via: [...AGAIN, ...TO_THE_END] });
      expect(after).toMatchObject({
        ...{ native_id: imported?.native_id, origin: "started", generation: 2, outcome: "success" },
        ...{ usage: { turns: 2 }, turn: { number: 2, state: "done" } },
      });
      expect(lab.lastTurn()?.prompts).toHaveLength(2);
      expect((await session.entries()).filter(({ role }) => role === "user")).toHaveLength(2);
      expect((await lab.ok(["list", "--json"])).json.sessions).toHaveLength(1);
    });
  },
  // Nothing tells the conversation of a file of Gemini CLI by its name: it is not copied before it is resumed.
  { programs: ["claude", "codex"], kinds: ["autonomous"] },
);

/** The files that an agent keeps conversations in. */
function historiesOf(lab: Lab, program: WithFiles): string[] {
  const folder = historyFolder(lab, program);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl")).sort();
}

/** As its own clean-up does. Returns what there was. */
function deleteHistories(lab: Lab, program: WithFiles): string[] {
  const files = historiesOf(lab, program);
  expect(files.length).toBeGreaterThan(0);
  rmSync(historyFolder(lab, program), { recursive: true });
  return files;
}

function historyFolder({ env }: Lab, program: WithFiles): string {
  const { HOME = "", CODEX_HOME = join(HOME, ".codex"), CLAUDE_CONFIG_DIR = join(HOME, ".claude") } = env;
  const folders = {
    claude: join(CLAUDE_CONFIG_DIR, "projects"),
    codex: join(CODEX_HOME, "sessions"),
    gemini: join(HOME, ".gemini", "tmp"),
  };
  return folders[program];
}
