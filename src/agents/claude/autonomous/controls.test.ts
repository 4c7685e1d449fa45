import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Deed, Target } from "../../deed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { one, permission, request } from "../requests-bench.ts";
import { controls } from "./controls.ts";

describe("Claude on pipes", () => {
  const input = { command: "echo the-secret" };
  const questions = { questions: [one("Which?", ["A", "B"]), one("And?", ["C", "D"], true)] };
  const rule = { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow" };
  const pending = [
    { requestId: "r1", tool: "Bash", input, callId: null, rules: [rule, { type: "setMode" }] },
    { requestId: "r2", tool: "AskUserQuestion", input: questions, callId: null, rules: [] },
  ];
  const alone: Target<ClaudeMemory> = { nativeId: null, memory: { pending } };
  const asked = permission("Bash", { command: "echo [REDACTED:value]" });
  const line = (deed: Deed | undefined) => {
    expect(deed).toEqual({ via: "lines", lines: [expect.not.stringContaining("\n")] });
    return JSON.parse(deed?.via === "lines" ? (deed.lines[0] ?? "") : "") as object;
  };
  const answer = (requestId: string, response: object) => ({
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  });

  test("a text is a message of the user", () => {
    expect(line(controls.say(alone, "a\nb"))).toEqual({
      type: "user",
      message: { role: "user", content: "a\nb" },
    });
  });

  test("an approval gives the input back as it was asked for, not as the record has it", () => {
    expect(line(controls.approve(alone, asked))).toEqual(
      answer("r1", { behavior: "allow", updatedInput: input }),
    );
  });

  test("a lasting approval takes the rules that were suggested for the call, and nothing wider", () => {
    expect(line(controls.approveAlways?.(alone, asked))).toEqual(
      answer("r1", { behavior: "allow", updatedInput: input, updatedPermissions: [rule] }),
    );
    const wider = pending.map((one) => ({ ...one, rules: [{ type: "setMode" }] }));
    expect(controls.approveAlways?.({ ...alone, memory: { pending: wider } }, asked)).toBeUndefined();
  });

  test("a denial has a reason, whether one is given or not", () => {
    expect(line(controls.deny(alone, asked, "not today"))).toEqual(
      answer("r1", { behavior: "deny", message: "not today" }),
    );
    expect(line(controls.deny(alone, asked, null))).toEqual(
      answer("r1", { behavior: "deny", message: expect.stringMatching(/./) }),
    );
  });

  test("an answer names each question and what was chosen", () => {
    const question = request({ for: "question", requestId: "r2" });
    expect(line(controls.answer(alone, question, "my own\n1,2"))).toEqual(
      answer("r2", {
        behavior: "allow",
        updatedInput: { ...questions, answers: { "Which?": "my own", "And?": "C, D" } },
      }),
    );
  });

  test("an interrupt is a request of ours", () => {
    expect(line(controls.interrupt(alone))).toMatchObject({ request: { subtype: "interrupt" } });
  });

  test("there is nothing to write to a request that is not pending any more", () => {
    const old = permission("Bash", {});
    for (const pressed of [
      controls.approve,
      (...[who, what]: [Target<ClaudeMemory>, Waiting]) => controls.deny(who, what, null),
    ])
      expect(pressed(alone, { ...old, requestId: "r9" })).toBeUndefined();
    expect(controls.answer(alone, request({ for: "question", requestId: "r9" }), "A")).toBeUndefined();
  });
});
