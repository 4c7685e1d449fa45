import { expect, test } from "vitest";
import { hostContract } from "../host.contract.ts";
import { pty } from "./host.ts";

hostContract(pty, {
  "closes the input after what was typed, and the command ends by itself":
    "a terminal has no end of input of its own: Ctrl-D is a key, and hanging up is a signal",
});

test("a terminal that marks pastes gets many lines as one paste, and Enter as a key behind it", () => {
  const paste = { bracketedPaste: true };
  expect(pty.encodeText("a\nb", paste)).toEqual(["\x1b[200~a\nb\x1b[201~", "\r"]);
  expect(pty.encodeText("a\tb", paste)).toEqual(["\x1b[200~a\tb\x1b[201~", "\r"]);
  expect(pty.encodeText("one line", paste)).toEqual(["one line", "\r"]);
});

test("a terminal that does not mark pastes gets Enter for each line", () => {
  expect(pty.encodeText("a\nb", { bracketedPaste: false })).toEqual(["a\rb", "\r"]);
});
