import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { acpLab } from "./acp-lab.ts";
import { type Lab, newLab } from "./lab.ts";
import { COMING_UP, matrix, slowTest, TO_THE_END } from "./matrix.ts";
import { PROGRAMS } from "./not-offered.ts";
import type { Watched } from "./watched.ts";

/** What the record says of the newest turn. */
async function turnOf(session: Watched): Promise<Shown> {
  return (await session.get()).turn as Shown;
}

async function atPrompt(lab: Lab): Promise<Watched> {
  const session = await lab.start("interactive");
  await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
  return session;
}

matrix(({ program, kind }) => {
  const isInteractive = kind === "interactive";

  test("first text, then wait", async () => {
    await using lab = await newLab(program);
    const session = await lab.start(kind, "[[text:all done]]");
    await lab.ok(["wait", session.id, "--timeout", "60s"]);
    const answers = (await session.entries()).filter(
      ({ role, kind }) => role === "assistant" && kind === "text",
    );
    expect(answers.map(({ text }) => text)).toEqual(["all done"]);
    const over = isInteractive ? "waiting_input:prompt" : "stopped";
    await session.at("first text done", over, { via: [...COMING_UP, ...TO_THE_END] });
    expect(await turnOf(session)).toMatchObject({
      number: 1,
      state: "done",
      outcome: "success",
      error: null,
    });
  });

  test("a failed turn's error", async () => {
    await using lab = await newLab(program, { retries: 1 });
    const own = program === "claude" && isInteractive ? ["--", "--permission-mode", "manual"] : [];
    const args = ["start", program, "--kind", kind, "--wait", "--name", "failing", "[[err:400]]", ...own];
    const answer = await lab.rollcall(args);
    const { id, turn, last_error } = (await lab.ok(["get", "failing", "--json"])).json;
    expect([answer.code, answer.stdout]).toEqual([1, ""]);
    expect(answer.stderr).toMatch(new RegExp(`^${id} \\(failing\\): .*400`, "s"));
    expect(turn).toMatchObject({ outcome: "failure", error: expect.stringContaining("400") });
    expect(last_error).toMatchObject({ message: expect.stringContaining("400") });
  });
});

matrix(
  ({ program }) => {
    test("a turn without a change of state", async () => {
      await using lab = await newLab(program);
      const session = await atPrompt(lab);
      await lab.ok(["send", session.id, "[[text:one]]", "--wait", "--timeout", "60s"]);
      const clear = program === "claude" ? "/clear" : "/new";
      const { code, stdout, stderr } = await lab.rollcall([
        "send",
        session.id,
        clear,
        "--wait",
        "--timeout",
        "60s",
      ]);
      expect([code, stdout]).toEqual([0, ""]);
      expect(stderr).toContain("without words");
      expect(await turnOf(session)).toMatchObject({ number: 2, state: "done", outcome: "success" });
      const unknown = await lab.rollcall([
        "send",
        session.id,
        "/nosuchcommand",
        "--wait",
        "--timeout",
        "60s",
      ]);
      // Claude takes it and says so; the others leave it in their box.
      expect(unknown.code).toBe(program === "claude" ? 0 : 1);
      expect(await turnOf(session)).toMatchObject({ number: 3, state: "done" });
      const again = await lab.ok(["send", session.id, "[[text:two]]", "--wait", "--timeout", "60s"]);
      expect(again.stdout).toBe("two\n");
      expect(await turnOf(session)).toMatchObject({ number: 4, outcome: "success" });
    });
  },
  { kinds: ["interactive"] },
);

matrix(
  ({ program, kind }) => {
    test("20 instant answers in a row, each printed", async () => {
      await using lab = await (kind === "acp" ? acpLab(program) : newLab(program));
      const session = await lab.start(kind);
      await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
      await sendInstantly(lab, session, program, 20);
      expect(await turnOf(session)).toMatchObject({ number: 20, outcome: "success" });
    });
  },
  { kinds: ["interactive", "acp"] },
);

/** For twenty starts of a program, each of which may take its time. */
const STARTS_MS = 1_200_000;

// Without a terminal a program works on one text: each further one is given by a resume.
matrix(
  ({ program, kind }) => {
    const run = async () => {
      await using lab = await newLab(program);
      const session = await lab.start(kind, "[[text:answer 1]]");
      for (let count = 1; count <= 20; count++) {
        if (count > 1) await lab.ok(["resume", session.id, "-d", "--prompt", `[[text:answer ${count}]]`]);
        await lab.ok(["wait", session.id, "--turn", String(count), "--timeout", "120s"]);
        expect((await session.entries()).at(-1)).toMatchObject({
          role: "assistant",
          text: `answer ${count}`,
        });
        await lab.ok(["wait", session.id, "--until", "stopped", "--timeout", "120s"]);
      }
      expect(await turnOf(session)).toMatchObject({ number: 20, outcome: "success" });
      expect(await session.get()).toMatchObject({ generation: 20, usage: { turns: 20 } });
    };
    slowTest("20 instant answers in a row, each by a resume", run, STARTS_MS);
  },
  { kinds: ["autonomous"] },
);

/** Each prints its own answer; none hangs, none is empty. */
async function sendInstantly(lab: Lab, session: Watched, name: string, times: number): Promise<void> {
  for (let count = 1; count <= times; count++) {
    const answer = `${name} says ${count}`;
    const args = ["send", session.id, `[[text:${answer}]]`, "--wait", "--timeout", "120s"];
    const { code, stdout, stderr } = await lab.rollcall(args);
    expect([code, stdout, stderr]).toEqual([0, `${answer}\n`, ""]);
  }
}

slowTest("200 instant answers of two Claude and two Codex side by side", async () => {
  await using first = await newLab(PROGRAMS[0] as (typeof PROGRAMS)[number]);
  await using second = await newLab(PROGRAMS[1] as (typeof PROGRAMS)[number]);
  const sessions: [Lab, Watched][] = [];
  for (const lab of [first, second, first, second]) sessions.push([lab, await atPrompt(lab)]);
  await Promise.all(
    sessions.map(async ([lab, session], index) => sendInstantly(lab, session, `agent ${index}`, 50)),
  );
  for (const [, session] of sessions)
    expect(await turnOf(session)).toMatchObject({ number: 50, outcome: "success" });
});
