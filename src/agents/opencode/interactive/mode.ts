import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { controls } from "../controls.ts";
import { catchUp } from "../events/catch-up.ts";
import { parseEvent } from "../events/events.ts";
import { memoryOf, planServer } from "../launch.ts";
import type { OpencodeMemory } from "../memory.ts";
import { saysItself } from "./commands.ts";
import { parseTitle } from "./title.ts";

/** OpenCode at a terminal, whose own server tells what it does and takes texts and answers. */
export const interactive: Mode<OpencodeMemory> = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  plan,
  trust: ["protocol", "terminal"],
  sources: {
    terminal: { title: parseTitle },
    events: { path: "/event", parse: parseEvent, catchUp },
  },
  controls: { ...controls, say: saysItself },
};

/** A fork is made by a call, like a new conversation: a text for its terminal would be lost while it comes up. */
function plan(request: LaunchRequest): LaunchPlan {
  const { model, continues } = request;
  const command = [
    "opencode",
    ...(model === null ? [] : ["--model", model]),
    ...(continues?.how === "resume" ? ["--session", continues.nativeId] : []),
  ];
  return { ...planServer(request, command), memory: { ...memoryOf(request), hasTerminal: true } };
}
