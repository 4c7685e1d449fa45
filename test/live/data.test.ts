import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { damageRecord } from "../cli/damage.ts";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, dataOf, type Entry, said, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

describe("observability", () => {
  test("is not_yet_observable before the agent wrote anything, with what its screen shows", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "--", "--trust"]);
    await user.reach(id, "waiting_input");
    const data = await dataOf(user, id);
    expect(data).toMatchObject({ observability: "not_yet_observable", entries: [], state: "waiting_input" });
    expect(data.screen).toContain("Trust this folder?");
  });

  test("is live while it is read, and ended behind the end, with all that was said", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say hello");
    expect(await dataOf(user, id)).toMatchObject({ observability: "live", session_id: id });
    await user.ok(["end", id]);
    const data = await dataOf(user, id);
    expect(data).toMatchObject({ observability: "ended", state: "stopped", truncated: false });
    expect(data.screen).toContain("hello");
    expect(data.entries.map(({ text }) => text)).toEqual(["say hello", "hello"]);
  });

  test("is transcript_lost when the transcript vanished, which is no end", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say kept");
    await turn(user, id, "lose-transcript");
    const data = await dataOf(user, id);
    expect(data).toMatchObject({ observability: "transcript_lost", state: "waiting_input" });
    expect(await said(user, id, "assistant")).toEqual(["kept"]);
    const text = await user.ok(["data", id]);
    expect(text.stdout + text.stderr).toContain("kept");
    await user.killDaemon();
    expect(await dataOf(user, id)).toMatchObject({
      observability: "transcript_lost",
      state: "waiting_input",
    });
    const ended = (await user.ok(["end", id, "--json"])).json;
    expect(ended).toMatchObject({ session: { state: "stopped", outcome: "success" } });
  });

  test("of a session that is not there is an error", async () => {
    await using user = newLiveUser();
    expect(await user.rollcall(["data", "nobody", "--json"])).toMatchObject({
      code: 3,
      error: { code: "session_not_found" },
    });
  });

  test("of a session whose record is damaged is an error, which is no end", async () => {
    await using user = newLiveUser();
    const [id, other] = [await atPrompt(user), await atPrompt(user)];
    await turn(user, id, "say kept");
    {
      using _ = damageRecord(user, id);
      const answer = await user.rollcall(["data", id, "--json"]);
      expect(answer).toMatchObject({ code: 1, stdout: "", error: { code: "corrupt" } });
      expect(answer.error.message).toContain(id);
      expect((await user.rollcall(["data", id])).stderr).toMatch(/^rollcall: [^\n]+ is damaged [^\n]+\n$/);
      expect(await turn(user, other, "say well")).toMatchObject({ answer: "well" });
    }
    expect(await dataOf(user, id)).toMatchObject({ observability: "live", state: "waiting_input" });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });
});

describe("what is read", () => {
  test("is at most 48,000 bytes with the JSON around it, and pages on without gaps or doubles", async () => {
    await using user = newLiveUser();
    const id = await user.create();
    const texts = Array.from({ length: 3000 }, (_, n) => `entry ${n} ${'ünï→漢🙂"\\\n'.repeat(n % 12)}`);
    await addEntries(user, id, texts);
    const back: Entry[][] = [];
    for (let before: number | null = null; ; ) {
      const more: string[] = before === null ? [] : ["--before", String(before)];
      const answer = await user.ok(["data", id, "--json", "--tail", "1000", ...more]);
      expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
      expect(answer.stdout).not.toContain("\ufffd");
      const page = answer.json as unknown as { entries: Entry[]; truncated: boolean; before: number };
      back.unshift(page.entries);
      if (!page.truncated) break;
      before = page.before;
    }
    const forth: Entry[] = [];
    for (let after = 0; ; ) {
      const page = await dataOf(user, id, "--after", String(after));
      forth.push(...page.entries);
      if (!page.truncated) break;
      after = page.after as number;
    }
    expect(back.flat().map(({ text }) => text)).toEqual(texts);
    expect(forth).toEqual(back.flat());
    expect(back.length).toBeGreaterThan(5);
  });

  test("of one huge entry is its beginning, and says that it was cut", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say small");
    await turn(user, id, `say ${"🙂".repeat(40_000)}`);
    const answer = await user.ok(["data", id, "--json", "--tail", "1"]);
    expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
    const { entries, truncated } = answer.json as unknown as { entries: Entry[]; truncated: boolean };
    expect(truncated).toBe(true);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ cut: true, role: "assistant" });
    expect(entries[0]?.text).toMatch(/^(?:🙂)+$/u);
    expect(entries[0]?.text?.length).toBeGreaterThan(1000);
  });

  test("counts a screen as it is written, with every quote that needs two bytes", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    for (let round = 0; round < 6; round++) await turn(user, id, `say ${'"'.repeat(9000)}`);
    const answer = await user.ok(["data", id, "--json"]);
    expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
    expect(answer.json).toMatchObject({ truncated: true });
  });

  test("fits into as many bytes as were asked for", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    for (const word of ["one", "two", "three"]) await turn(user, id, `say ${word} ${"x".repeat(900)}`);
    const answer = await user.ok(["data", id, "--json", "--max-bytes", "3000"]);
    expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(3000);
    expect(answer.json).toMatchObject({ truncated: true });
  });

  test("of a full-screen program is the screen as it stands", async () => {
    await using user = newLiveUser();
    const draw =
      "printf '\\033[?1049h\\033[2J\\033[10;5Hmenu\\033[12;5H> second\\033[12;5H* chosen'; sleep 1000";
    const { id } = await user.start(["--", "sh", "-c", draw]);
    await until(async () => ((await dataOf(user, id)).screen ?? "").includes("chosen"), "the menu");
    const { screen } = await dataOf(user, id);
    expect((screen as string).split("\n")[9]).toBe("    menu");
    expect(screen).toContain("* chosen");
    expect(screen).not.toContain("second");
  });
});

async function addEntries(user: LiveUser, id: string, texts: readonly string[]): Promise<void> {
  await using library = await user.library();
  const entry = { role: "assistant", kind: "text", tool: null } as const;
  await Promise.all(texts.map(async (text) => library.addEntry(id, { ...entry, text })));
}

describe("the record of a conversation", () => {
  test.each(["interactive", "autonomous"])(
    "of an %s agent has every entry and every use once, also over a restart in mid-turn",
    async (kind) => {
      await using user = newLiveUser();
      const prompt = "say one ; tool Read {} ; usage 10 5 ; work 3s ; say two ; usage 7 3 1 1 1 0.5";
      const { id } = await user.start(["--kind", kind, "scripted", prompt]);
      await until(async () => (await said(user, id, "assistant")).length >= 1, "the first words");
      await user.killDaemon();
      await user.ok(["up"]);
      await until(async () => (await said(user, id, "assistant")).length === 2, "the last words");
      await until(async () => (await user.get(id)).state !== "running", "the end of the turn");
      const { entries } = await dataOf(user, id);
      expect(entries.map(({ kind: what, text }) => text ?? what)).toEqual([
        prompt,
        "one",
        "tool_call",
        "tool_result",
        "two",
      ]);
      const { usage } = (await user.get(id)) as unknown as { usage: object };
      expect(usage).toMatchObject({ tokens_input: 17, tokens_output: 8 });
      expect((await user.get(id)).usage).toMatchObject({ cost_source: "reported", partial: true });
    },
  );

  test("goes on where it was when the daemon was stopped between two halves of a line", async () => {
    await using user = newLiveUser();
    const script = `printf 'first half,'; read x; printf ' second half\\n'; printf '\\377\\376 no text\\n'; printf end`;
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", script]);
    await user.ok(["down"]);
    await user.ok(["send", id, "go"]);
    await user.reach(id, "stopped");
    expect((await user.ok(["logs", id])).stdout).toBe("first half, second half\n\ufffd\ufffd no text\nend\n");
  });
});

describe("logs", () => {
  test("are the terminal's text, or the output of a session without one", async () => {
    await using user = newLiveUser();
    const script = "printf '\\033[31mred\\033[0m\\n'; echo err >&2";
    for (const kind of ["interactive", "autonomous"]) {
      const { id } = await user.start(["--kind", kind, "--", "sh", "-c", script]);
      await user.reach(id, "stopped");
      const { stdout } = await user.ok(["logs", id]);
      expect(stdout.split("\n").filter(Boolean).toSorted()).toEqual(["err", "red"]);
    }
  });

  test.each(["interactive", "autonomous"])("of an %s session are followed to its end", async (kind) => {
    await using user = newLiveUser();
    const script = "echo one; read x; echo two $x";
    const { id } = await user.start(["--kind", kind, "--", "sh", "-c", script]);
    const child = spawn(process.execPath, [LAUNCHER, "logs", id, "-f"], {
      env: user.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let shown = "";
    child.stdout.on("data", (data: Buffer) => (shown += data.toString()));
    const closed = once(child, "close");
    await until(() => shown.includes("one"), "the first line");
    await user.ok(["send", id, "go"]);
    expect((await closed)[0]).toBe(0);
    expect(shown.match(/one/g)).toHaveLength(1);
    expect(shown).toContain("two go");
  });
});
