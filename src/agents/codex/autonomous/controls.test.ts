import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { AT_PROMPT } from "../../../domain/supervise/signal.ts";
import type { Deed } from "../../deed.ts";
import { controls } from "./controls.ts";

const SERVER = { nativeId: "n", memory: { thread: "t", turnId: "u" } };

function request(given: Partial<Waiting>): Waiting {
  return { ...AT_PROMPT, for: "permission", since: "", ...given };
}

/** The messages of a deed. */
function sent(deed: Deed | undefined): object[] {
  return deed?.via === "lines" ? deed.lines.map((line) => JSON.parse(line) as object) : [];
}

describe("by its app server Codex", () => {
  test("is told a lasting yes as one for the session", () => {
    const deed = controls.approveAlways?.(SERVER, request({ requestId: "3:exec-1" }));
    expect(sent(deed)[0]).toEqual({ id: 3, result: { decision: "acceptForSession" } });
  });

  test("is told a text by a turn, whose answer names it", () => {
    expect(sent(controls.say(SERVER, "hello"))[0]).toEqual({
      id: "say hello",
      method: "turn/start",
      params: { threadId: "t", input: [{ type: "text", text: "hello" }] },
    });
  });

  test("is answered by the number of its own request", () => {
    const asked = request({ requestId: "3:exec-1" });
    expect(sent(controls.approve(SERVER, asked))[0]).toEqual({ id: 3, result: { decision: "accept" } });
    expect(sent(controls.deny(SERVER, asked, null))[0]).toEqual({
      id: 3,
      result: { decision: "decline" },
    });
    expect(controls.approve(SERVER, request({ requestId: "r12" }))).toBeUndefined();
  });

  test("is told the reason of a denial before it, so that the turn takes it up", () => {
    const denied = controls.deny(SERVER, request({ requestId: "3:exec-1" }), "do not");
    expect(sent(denied)[0]).toMatchObject({
      method: "turn/steer",
      params: { threadId: "t", expectedTurnId: "u", input: [{ type: "text", text: "do not" }] },
    });
    expect(sent(denied)[1]).toEqual({
      id: 3,
      result: { decision: "decline" },
    });
  });

  test("is interrupted in the turn that it told of", () => {
    expect(sent(controls.interrupt(SERVER))[0]).toMatchObject({ params: { threadId: "t", turnId: "u" } });
    expect(controls.interrupt({ ...SERVER, memory: {} })).toBeUndefined();
  });

  test("refuses a reason while no turn is known that could take it", () => {
    const asked = request({ requestId: "3:exec-1" });
    expect(() => controls.deny({ ...SERVER, memory: {} }, asked, "do not")).toThrow(
      expect.objectContaining({ code: "not_offered" }),
    );
  });
});
