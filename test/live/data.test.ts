import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { damageRecord } from "../cli/damage.ts";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, type Data, dataOf, type Entry, said, turn } from "./scripted.ts";
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
    const ended = (await user.ok(["end", id, "--json"])).only;
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
    for (let before: string | null = null; ; ) {
      const more: string[] = before === null ? [] : ["--before", before];
      const answer = await user.ok(["data", id, "--json", "--tail", "1000", ...more]);
      expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
      expect(answer.stdout).not.toContain("\ufffd");
      const page = answer.json as unknown as { entries: Entry[]; truncated: boolean; before: string };
      back.unshift(page.entries);
      if (!page.truncated) break;
      before = page.before;
    }
    const forth: Entry[] = [];
    for (let after = "0"; ; ) {
      const page = await dataOf(user, id, "--after", after);
      forth.push(...page.entries);
      if (!page.truncated) break;
      after = page.after as string;
    }
    expect(back.flat().map(({ text }) => text)).toEqual(texts);
    expect(forth).toEqual(back.flat());
    expect(back.length).toBeGreaterThan(5);
  });

  test("of one huge entry is its end, and says which part that is", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say small");
    await turn(user, id, `say ${"🙂".repeat(40_000)}end`);
    const answer = await user.ok(["data", id, "--json", "--tail", "1"]);
    expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
    const { entries, truncated } = answer.json as unknown as { entries: Entry[]; truncated: boolean };
    expect(truncated).toBe(true);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ role: "assistant", part: { to: 80_003, of: 80_003 } });
    expect(entries[0]?.text).toMatch(/^(?:🙂)+end$/u);
    expect(entries[0]?.text?.length).toBeGreaterThan(1000);
  });

  test("of a command that prints 400 KB at once can be reached by cursors in either direction", async () => {
    await using user = newLiveUser();
    const print = `i=0; while [ $i -lt 4000 ]; do echo "line $i ${"é".repeat(45)}"; i=$((i+1)); done`;
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", `x=$(${print}); echo "$x"`]);
    await user.reach(id, "stopped");
    const all = Array.from({ length: 4000 }, (_, n) => `line ${n} ${"é".repeat(45)}\n`).join("");
    const newest = await dataOf(user, id);
    expect(newest.entries.at(-1)?.text?.endsWith(`line 3999 ${"é".repeat(45)}\n`)).toBe(true);
    expect(textOf((await pagesOf(user, id, "before")).toReversed())).toBe(all);
    expect(textOf(await pagesOf(user, id, "after"))).toBe(all);
    expect(textOf((await pagesOf(user, id, "before", "--tail", "3")).toReversed())).toBe(all);
    expect(textOf((await pagesOf(user, id, "before", "--max-bytes", "20000")).toReversed())).toBe(all);
  });

  test("of a tool's huge result comes in parts that make up its JSON", async () => {
    await using user = newLiveUser();
    const id = await user.create();
    const result = { some_key: Array.from({ length: 9000 }, (_, n) => `row "${n}" é`) };
    await using library = await user.library();
    const tool = { name: "Read", result };
    await library.addEntry(id, { role: "tool", kind: "tool_result", text: "short", tool });
    const pages = (await pagesOf(user, id, "before")).toReversed();
    const parts = pages.flatMap(({ entries }) => entries);
    expect(parts.every((part) => part.tool?.name === "Read" && part.part !== undefined)).toBe(true);
    expect(parts.map(({ text }) => text).join("")).toBe("short");
    expect(JSON.parse(parts.map(({ rest_json = "" }) => rest_json).join(""))).toEqual({ result });
  });

  test("names the cursor that goes on, for people", async () => {
    await using user = newLiveUser();
    const id = await user.create();
    await addEntries(user, id, ["first", "x".repeat(3000)]);
    const newest = await user.ok(["data", id, "--max-bytes", "2000"]);
    expect(newest.stdout).toMatch(
      /\(there is more: --before \d+\.\d+\)\nassistant \(characters \d+ to 3000 of 3000\): x+\n/,
    );
    const first = await user.ok(["data", id, "--after", "0", "--max-bytes", "2000"]);
    expect(first.stdout).toMatch(
      /first\nassistant \(characters 1 to \d+ of 3000\): x+\n\(there is more: --after \d+\.\d+\)\n/,
    );
  });

  test("is refused for a cursor that is none", async () => {
    await using user = newLiveUser();
    const id = await user.create();
    for (const [option, cursor] of [
      ["--before", "x"],
      ["--after", "1."],
      ["--after", "-1"],
    ] as const)
      expect(await user.rollcall(["data", id, `${option}=${cursor}`, "--json"])).toMatchObject({
        code: 2,
        error: { code: "bad_input" },
      });
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

/** Every page in one direction, each within the bound. */
async function pagesOf(
  user: LiveUser,
  id: string,
  direction: "before" | "after",
  ...args: readonly string[]
): Promise<Data[]> {
  const pages: Data[] = [];
  for (let place = direction === "after" ? "0" : null; ; ) {
    const more = place === null ? [] : [`--${direction}`, place];
    const answer = await user.ok(["data", id, "--json", ...more, ...args]);
    expect(Buffer.byteLength(answer.stdout)).toBeLessThanOrEqual(48_000);
    const page = answer.json as Data;
    pages.push(page);
    if (!page.truncated) return pages;
    place = page[direction];
  }
}

function textOf(pages: readonly Data[]): string {
  return pages.flatMap(({ entries }) => entries.map(({ text }) => text ?? "")).join("");
}

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
  test("of a program on a screen of its own show its text as it stood there", async () => {
    await using user = newLiveUser();
    const draw = String.raw`printf '\033[?1049h\033[2J\033[2;4Hloading\033[2;4H\033[1mready  \033[0m\033[3;4Hmenu'; sleep 1000`;
    const { id } = await user.start(["--", "sh", "-c", draw]);
    await until(async () => (await user.ok(["logs", id])).stdout.includes("menu"), "its screen");
    expect((await user.ok(["logs", id])).stdout).toBe("\n   ready\n   menu\n");
  });

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
