import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCall } from "./calls.ts";
import { literalIn } from "./literal.ts";

describe("a literal of JavaScript", () => {
  test("that is JSON is read as JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__") && !/\de[+-]?\d/.test(JSON.stringify(value)));
        expect(literalIn(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each([
    ["{cmd: 'ls', tty: false, n: -1.5,}", { cmd: "ls", tty: false, n: -1.5 }],
    ["{ 'a b': [1, null,], }", { "a b": [1, null] }],
    [String.raw`'it\'s\n\u0041\x42\u{1F642}'`, "it's\nAB🙂"],
    ["`two\nlines`", "two\nlines"],
    ["'a' and more", "a"],
  ])("%s is read", (text, value) => {
    expect(literalIn(text)).toEqual(value);
  });

  test.each([
    "",
    "cmd",
    "{cmd: name}",
    "{...others}",
    `\`a $${"{b}"}\``,
    "{a: 1",
    "f(1)",
    "'open",
    "1n",
    "[".repeat(50),
  ])("%s is none", (text) => {
    expect(literalIn(text)).toBeUndefined();
  });

  test("is looked for in any text without harm", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void literalIn(text)));
  });
});

describe("the call in a script", () => {
  const script = (input: string) =>
    parseCall({ type: "custom_tool_call", call_id: "c", name: "exec", input });

  test("is told as the call that it is, where it is one alone and made of literals", () => {
    expect(script("text(await tools.exec_command({cmd: 'npm test', justification: \"x\"}));")).toEqual({
      id: "c",
      name: "exec_command",
      input: { cmd: "npm test", justification: "x" },
    });
    expect(script('text(await tools.apply_patch("*** Begin Patch"));')).toMatchObject({
      name: "apply_patch",
      input: { patch: "*** Begin Patch" },
    });
  });

  test.each([
    "await tools.exec_command({cmd: 'a'}); await tools.exec_command({cmd: 'b'});",
    "for (const cmd of list) await tools.exec_command({cmd});",
    "text(1 + 1)",
  ])("%s is told as a script", (text) => {
    expect(script(text)).toEqual({ id: "c", name: "exec", input: { script: text } });
  });
});
