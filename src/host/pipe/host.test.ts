import { expect, test } from "vitest";
import { hostContract } from "../host.contract.ts";
import { pipe } from "./host.ts";

hostContract(pipe, {
  "gives the command a terminal of the size it is told": "pipes have no screen",
});

test("a text is one line, or as many as it has", () => {
  expect(pipe.encodeText("a\nb", { bracketedPaste: true })).toEqual(["a\nb\n"]);
});
