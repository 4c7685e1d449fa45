import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { controls } from "../controls.ts";
import { catchUp } from "../events/catch-up.ts";
import { parseEvent } from "../events/events.ts";
import { memoryOf, planServer } from "../launch.ts";
import type { OpencodeMemory } from "../memory.ts";
import { LEAVES_AT_END_OF_INPUT } from "./leaves.ts";

/** OpenCode's server alone: exact states, and requests that wait for a person, whom `opencode run` would not ask. */
export const autonomous: Mode<OpencodeMemory> = {
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  plan,
  trust: ["protocol"],
  sources: {
    // Its output says only where it listens.
    stream: { parse: () => ({}) },
    events: { path: "/event", parse: parseEvent, catchUp },
  },
  controls,
};

function plan(request: LaunchRequest): LaunchPlan {
  const command = ["sh", "-c", LEAVES_AT_END_OF_INPUT, "opencode", "opencode", "serve"];
  return { ...planServer(request, command), memory: memoryOf(request) };
}
