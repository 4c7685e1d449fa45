import { expect, test } from "vitest";
import { type Lab, newLab } from "./lab.ts";
import { matrix, TO_THE_END, toATurn } from "./matrix.ts";
import type { Kind } from "./moments.ts";
import { begin } from "./turn.ts";

const one = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: "Pick",
  multiSelect,
  options: labels.map((label) => ({ label, description: `Choose ${label}` })),
});

const DATABASE = one("Which database?", ["Postgres", "SQLite"]);
const REGIONS = one("Which regions?", ["North", "South", "West"], true);
const DAY = one("When to deploy?", ["Today", "Tomorrow", "Never"]);
const LONG = one(`Which of these should ${"the new service ".repeat(10)}begin with?`, ["Code", "Tests"]);
const LAYOUT = {
  ...one("Which layout?", ["Wide", "Narrow"]),
  options: ["Wide", "Narrow"].map((label) => ({ label, description: "d", preview: `| ${label} |` })),
};

/** Asks them at once, and is held once they are answered. */
const asking = (...questions: readonly object[]) =>
  `[[call:AskUserQuestion ${JSON.stringify({ questions })}]][[then]][[gate:after]][[text:fine]]`;

/** What the program tells its model that the user has answered. */
function answersTold(lab: Lab): Readonly<Record<string, string>> {
  const { messages } = JSON.parse(lab.lastTurn()?.body ?? "{}") as { messages: { content: unknown }[] };
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const told = String(blocks.findLast(({ type }) => type === "tool_result")?.content);
  return Object.fromEntries([...told.matchAll(/"([^"]+)"="([^"]+)"/g)].map((match) => match.slice(1)));
}

/** What Codex tells its model that its tools answered. */
function outputsTold(lab: Lab): readonly unknown[] {
  const { input } = JSON.parse(lab.lastTurn()?.body ?? "{}") as { input: { type: string; output: string }[] };
  return input.filter(({ type }) => type === "function_call_output").map(({ output }) => JSON.parse(output));
}

async function answer(kind: Kind, questions: readonly object[], choices: readonly string[]) {
  await using lab = await newLab("claude");
  const session = await begin(lab, kind, asking(...questions));
  await session.at("questions asked", "waiting_input:question", { via: toATurn(kind) });
  await lab.ok(["answer", session.id, ...choices]);
  await lab.model.asked("after");
  await session.at("answered", "running", { causeMs: await session.inputGivenMs("answer") });
  const told = answersTold(lab);
  lab.model.open("after");
  const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
  await session.at("turn done", over, { via: TO_THE_END });
  return told;
}

matrix(
  ({ program, kind }) => {
    test("three questions asked at once are shown with their choices", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, asking(DATABASE, REGIONS, DAY));
      const { waiting } = await session.at("questions asked", "waiting_input:question", {
        via: toATurn(kind),
      });
      expect(waiting).toMatchObject({
        question: "Which database?\nWhich regions?\nWhen to deploy?",
        input: { questions: [DATABASE, REGIONS, DAY] },
      });
      const { stdout: roll } = await lab.ok([]);
      const shown = [
        "Which database?",
        "1) Postgres",
        "Which regions?",
        "3) West",
        "When to deploy?",
        "3) Never",
      ];
      for (const text of shown) expect(roll).toContain(text);
      expect(roll).toMatch(/rollcall answer \S+ 1-2 1-3,… 1-3$/m);
      const few = await lab.rollcall(["answer", session.id, "2", "--json"]);
      expect(few).toMatchObject({ code: 2, error: { code: "bad_input" } });
      await lab.ok(["interrupt", session.id]);
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("interrupted", over, { via: ["running", ...TO_THE_END] });
    });

    test("three questions asked at once are answered by one command", async () => {
      const choices = ["2", "West,1", "after the review, at noon"];
      expect(await answer(kind, [DATABASE, REGIONS, DAY], choices)).toEqual({
        "Which database?": "SQLite",
        "Which regions?": "North, West",
        "When to deploy?": "after the review, at noon",
      });
    });

    test("one question is answered with several of its choices", async () => {
      expect(await answer(kind, [REGIONS], ["2,3"])).toEqual({ "Which regions?": "South, West" });
    });

    test("long questions and choices with previews are answered", async () => {
      expect(await answer(kind, [LONG, LAYOUT], ["Tests", "2"])).toEqual({
        [LONG.question]: "Tests",
        "Which layout?": "Narrow",
      });
    });
  },
  { programs: ["claude"] },
);

matrix(
  ({ program, kind }) => {
    test("two questions of Plan mode are shown and answered by one command", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "/plan");
      const asked = [DATABASE, DAY].map(({ multiSelect: _, ...one }, id) => ({ id: `q${id}`, ...one }));
      const call = `[[call:request_user_input ${JSON.stringify({ questions: asked })}]]`;
      await session.send(`${call}[[then]][[gate:after]][[text:fine]]`);
      await session.at("questions asked", "waiting_input:question", { via: ["running"] });
      expect(await session.asked()).toMatchObject({ question: "Which database?\nWhen to deploy?" });
      expect((await lab.ok([])).stdout).toMatch(
        /2\) SQLite[\s\S]*3\) Never[\s\S]*rollcall answer \S+ 1-2 1-3$/m,
      );
      await lab.ok(["answer", session.id, "SQLite", "3"]);
      await lab.model.asked("after");
      await session.at("answered", "running", { causeMs: await session.inputGivenMs("answer") });
      expect(outputsTold(lab).at(-1)).toEqual({
        answers: { q0: { answers: ["SQLite"] }, q1: { answers: ["Never"] } },
      });
      lab.model.open("after");
      await session.at("turn done", "waiting_input:prompt");
    });
  },
  { programs: ["codex"], kinds: ["interactive"] },
);
