import { once } from "node:events";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { byHand, newLab } from "./lab.ts";
import { COMING_UP, matrix, TO_THE_END, toATurn } from "./matrix.ts";
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
    const answer = await lab.rollcall(["resume", session.id, "-d", "--json"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "conversation_held" } });
    await session.stays("resume refused", "running", 300);
  });

  test("resume while a process outside Rollcall holds it", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[text:first answer]]");
    const { native_id: native } = await session.at("first turn done", over, way);
    await lab.ok(["end", session.id]);
    const again = { claude: ["-p", "--resume"], codex: ["exec", "--skip-git-repo-check", "resume"] }[program];
    using started = byHand(lab, [...again, String(native), "[[gate:outside]][[text:said outside]]"]);
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
});
