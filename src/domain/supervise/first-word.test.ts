import { expect, test } from "vitest";
import { actionsOf, actsOf, bodiesOf, launched, observe, said, starting } from "../../testing/carried.ts";
import type { Observation } from "./observation.ts";

const HOOK = { source: "hook" } as const;
const TEXT: Observation = { saw: "text_given", by: "send", text: "hello", isCommand: false };
const ready = () => observe(starting(), launched(), said("ready", HOOK));

test("a stronger source that repeats the first prompt is the authority from then on, and is noted once", () => {
  const bodies = bodiesOf(actionsOf(ready(), said("ready")));
  expect(bodies).toMatchObject([{ kind: "at_prompt", evidence: { source: "terminal" } }]);
  expect(actsOf(observe(ready(), said("ready")), said("ready"))).toEqual([]);
  expect(actsOf(observe(ready(), said("ready")), said("ready", HOOK))).toEqual([]);
});

test("a turn that hooks tell before the terminal does is one turn", () => {
  const row = observe(
    ready(),
    said("ready"),
    TEXT,
    ...(["working", "good"] as const).map((what) => said(what, HOOK)),
    ...(["working", "good"] as const).map((what) => said(what)),
  );
  expect(row.turn).toMatchObject({ number: 1, state: "done", outcome: "success" });
});
