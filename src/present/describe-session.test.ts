import { expect, test } from "vitest";
import { NOW, shownSession, waitingFor } from "../testing/records.ts";
import { describeSession } from "./describe-session.ts";

test("a session that asks is shown with its question, its choices and the commands that answer it", () => {
  const asked = waitingFor("question", { question: "Which cluster?", options: ["staging", "production"] });
  const shown = describeSession(shownSession({ ...asked, name: "planner" }), NOW);
  expect(shown).toMatch(/^asks +Which cluster\? 1\) staging {3}2\) production$/m);
  expect(shown).toMatch(/^answer it with +rollcall answer planner 1-2$/m);
});

test("several questions are shown with the choices of each", () => {
  const questions = [
    { question: "Where?", options: [{ label: "north" }, { label: "south" }] },
    { question: "When?", options: [{ label: "now" }, { label: "later" }] },
  ];
  const asked = waitingFor("question", { question: "Where?\nWhen?", input: { questions } });
  const shown = describeSession(shownSession({ ...asked, name: "planner" }), NOW);
  expect(shown).toContain("Where? 1) north   2) south When? 1) now   2) later");
});

test("a session at its prompt asks nothing, and is answered by a text", () => {
  const shown = describeSession(shownSession({ ...waitingFor("prompt"), name: "chat" }), NOW);
  expect(shown).not.toMatch(/^asks/m);
  expect(shown).toMatch(/^answer it with +rollcall send chat TEXT$/m);
});

test.each([
  ["its code", { exitCode: 143 }, "code 143"],
  ["its signal", { exitSignal: "SIGKILL" }, "SIGKILL"],
])("an ended session is shown with %s", (_, exit, shown) => {
  expect(describeSession(shownSession({ state: "stopped" as const, ...exit }), NOW)).toMatch(
    new RegExp(`^exit +${shown}$`, "m"),
  );
});
