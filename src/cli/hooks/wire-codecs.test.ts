import { expect, test } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { WIRE_CODECS } from "./wire-codecs.ts";

const { "pre-delegate": delegation, "subagent-stop": stop } = WIRE_CODECS;

test("a delegation of an orchestrator has names, task and session, and nothing that is no text", () => {
  const none = { agentName: null, taskId: null, agentId: null, caller: null };
  const given = { agent_name: "a", task_id: "T", agent_id: "s", metadata: {} };
  expect(delegation.parse(given, null)).toEqual({ ...none, agentName: "a", taskId: "T", agentId: "s" });
  expect(delegation.parse({ agent_name: "", task_id: 1, agent_id: null }, null)).toEqual(none);
});

test("a failed pre-delegate has the form of its answers, with what was given", () => {
  const given = { agent_id: "s", camelKey: 1 };
  expect(delegation.fail("unavailable", given)).toEqual({
    shouldResume: false,
    reason: "unavailable",
    agentId: "s",
    resumeMetadata: null,
    originalContext: given,
    candidates: [],
  });
});

test.each<[JsonObject, boolean]>([
  [{}, true],
  [{ exit_code: null }, true],
  [{ exit_code: 0 }, true],
  [{ exit_code: "0" }, true],
  [{ exit_code: 1 }, false],
  [{ exit_code: "2" }, false],
  [{ exit_code: false }, false],
])("a sub-agent that stops with %j is clean: %o", (given, isClean) => {
  expect(stop.parse(given, null)).toEqual({ agentId: null, isClean, summary: null, subagent: null });
});
