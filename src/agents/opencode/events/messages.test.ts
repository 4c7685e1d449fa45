import { describe, expect, test } from "vitest";
import type { OpencodeMemory } from "../memory.ts";
import { parseEvent } from "./events.ts";

function parse(data: string, memory: OpencodeMemory) {
  return parseEvent({ id: null, name: "message", data }, memory);
}

describe("a message of OpenCode", () => {
  const KNOWN: OpencodeMemory = { native: "ses_1", firstMessage: "msg_1", userMessages: ["msg_2"] };
  const message = (info: object, memory: OpencodeMemory = KNOWN) =>
    parse(
      JSON.stringify({ type: "message.updated", properties: { info: { id: "msg_3", ...info } } }),
      memory,
    );
  const part = (given: object) =>
    parse(
      JSON.stringify({
        type: "message.part.updated",
        properties: { part: { id: "prt_1", type: "text", text: "go", sessionID: "ses_1", ...given } },
      }),
      KNOWN,
    );

  test("of its user in another conversation goes on there; an answer there, or a summary, does not", () => {
    expect(message({ sessionID: "ses_9", role: "user" }).identity).toEqual({ nativeId: "ses_9" });
    expect(message({ sessionID: "ses_9", role: "assistant" })).toEqual({});
    expect(message({ sessionID: "ses_9", role: "user", summary: {} })).toEqual({});
  });

  test("keeps the error of an answer, and leaves an earlier one where there is none", () => {
    const answer = { sessionID: "ses_1", role: "assistant", time: { created: 1 } };
    const failed = message({ ...answer, error: { name: "APIError", data: { message: "no credit" } } });
    expect(failed.memory?.error).toEqual({ name: "APIError", message: "no credit" });
    expect(message(answer).memory).not.toHaveProperty("error");
  });

  test("shows that its text was taken where it is the user's, and when it was said", () => {
    const said = part({ messageID: "msg_2", time: { start: 1000 } });
    expect(said).toMatchObject({ taken: ["go"], at: "1970-01-01T00:00:01.000Z" });
    const answered = part({ messageID: "msg_3", time: { start: 1000, end: 2000 } });
    expect(answered.at).toBe("1970-01-01T00:00:02.000Z");
    expect(answered).not.toHaveProperty("taken");
    expect(part({ messageID: "msg_2" })).not.toHaveProperty("at");
  });
});
