import type { JsonObject } from "../../../domain/json.ts";
import type { AgentHooks, ExampleFacts } from "../../hooks.ts";

const SESSION = { session_id: "11111111-2222-4333-8444-555555555555" };

export const examples: AgentHooks["examples"] = {
  "pre-delegate": [
    {
      about: "a prompt that names a session that waits for approval",
      session: { phase: "approval" },
      payload: (facts) => toolUse(facts, `Apply the plan. agent_id: ${facts.sessionId}`),
    },
    {
      about: "no session named, but a candidate",
      payload: (facts) => toolUse(facts, "Plan the network."),
    },
  ],
  "subagent-stop": [
    {
      about: "a sub-agent that has a session",
      session: { id: "a2ce1788fa4e2b820", phase: "executing" },
      payload: ({ sessionId, agentName }) => ({
        ...SESSION,
        hook_event_name: "SubagentStop",
        agent_id: sessionId,
        agent_type: agentName,
        last_assistant_message: "The network is planned.",
      }),
    },
  ],
};

function toolUse({ agentName, description }: ExampleFacts, prompt: string): JsonObject {
  return {
    ...SESSION,
    hook_event_name: "PreToolUse",
    tool_name: "Agent",
    tool_input: { subagent_type: agentName, description, prompt },
    tool_use_id: "toolu_01A",
  };
}
