import fc from "fast-check";
import { test } from "vitest";
import { expectWellFormed } from "../../testing/agents/well-formed-parsed.ts";
import { interactive } from "./interactive/mode.ts";
import { parseReport } from "./interactive/report.ts";
import type { CodexMemory } from "./memory.ts";

/** A memory as the parsers leave it, and as none would. */
const memories = fc.record(
  {
    thread: fc.constantFrom("01a1e641-0580-7520-b632-c836c9b38745", ""),
    isTurnOpen: fc.constantFrom(true, false, "over"),
    report: fc.constantFrom("idle", "working", "blocked"),
    calls: fc.oneof(fc.jsonValue(), fc.constant([{ id: "c", name: "exec_command", input: { cmd: "ls" } }])),
    pending: fc.oneof(fc.jsonValue(), fc.constant([{ requestId: "0:i", tool: "t" }])),
    changes: fc.jsonValue(),
    model: fc.string(),
  },
  { requiredKeys: [] },
);

test("a report of Codex in any state can be used, with any memory", () => {
  const states = fc.constantFrom("idle", "working", "done", "error", "blocked", "clear", "other");
  fc.assert(
    fc.property(states, fc.constantFrom("permission", "question", ""), memories, (state, kind, memory) => {
      expectWellFormed(
        interactive,
        parseReport({ app: "codex", state, kind }, memory as unknown as CodexMemory),
      );
    }),
  );
});
