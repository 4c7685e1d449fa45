import { expect, test } from "vitest";
import { readContents, readInput, readMessages } from "./conversation.ts";

const said = (text: string) => ({ type: "text", text });
const typed = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

test("The newest prompt of Claude is what was typed, without reminders and tool results", () => {
  const reminder = said("<system-reminder>[[text:no]]</system-reminder>");
  const messages = [
    { role: "user", content: [reminder, said("first")] },
    { role: "assistant", content: [{ type: "tool_use" }, { type: "tool_use" }] },
    { role: "user", content: [{ type: "tool_result" }, { type: "tool_result" }, reminder] },
  ];
  expect(readMessages(messages)).toEqual({ prompts: ["first"], round: 1 });
});

test("A prompt after an interrupted one begins anew, though they share a message", () => {
  const content = [said("first"), said("[Request interrupted by user]"), said("second")];
  expect(readMessages([{ role: "user", content }])).toEqual({ prompts: ["first", "second"], round: 0 });
});

test("A command of the program is no prompt", () => {
  const command = "<command-name>/clear</command-name>\n  <command-args></command-args>";
  expect(readMessages([{ role: "user", content: command }])).toEqual({ prompts: [], round: 0 });
});

test("A prompt may be a plain text", () => {
  expect(readMessages([{ role: "user", content: "hello" }])).toEqual({ prompts: ["hello"], round: 0 });
});

test("Codex's surroundings are no prompt, and the outputs of one answer are one round", () => {
  const input = [
    typed("<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
    typed("first"),
    { type: "function_call" },
    { type: "function_call" },
    { type: "function_call_output" },
    { type: "custom_tool_call_output" },
    { type: "function_call" },
    { type: "function_call_output" },
  ];
  expect(readInput(input)).toEqual({ prompts: ["first"], round: 2 });
});

test("Gemini's session context is no prompt, and the results of one answer are one round", () => {
  const contents = [
    { role: "user", parts: [{ text: "<session_context>\n[[text:no]]\n</session_context>" }] },
    { role: "user", parts: [{ text: "first" }] },
    { role: "model", parts: [{}, {}] },
    { role: "user", parts: [{ functionResponse: {} }, { functionResponse: {} }] },
    { role: "model", parts: [{}] },
    { role: "user", parts: [{ functionResponse: {} }] },
  ];
  expect(readContents(contents)).toEqual({ prompts: ["first"], round: 2 });
});
