import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { planProgram } from "../launch.ts";
import { catchUpOnRequests, catchUpOnStatus } from "./catch-up.ts";
import { controls } from "./controls.ts";
import { parseEvent, resume } from "./events.ts";
import type { HttpMemory } from "./memory.ts";

const USER = "scripted";

/** The program in a terminal with a server of its own: it is followed and driven over HTTP. */
export const http: Mode<HttpMemory> = {
  name: "http",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  isAskedFor: (args) => args.includes("--serve"),
  plan,
  trust: ["protocol"],
  sources: {
    events: {
      path: "/event",
      parse: parseEvent,
      resume,
      // Requests first: while one stands, the status says no more than that it works.
      catchUp: [catchUpOnRequests, catchUpOnStatus],
    },
  },
  controls,
};

/** Port and password go by the environment, which is for the eyes of its user alone; a command line is not. */
function plan(request: LaunchRequest): LaunchPlan {
  const { server } = request;
  if (server === null) throw new Error("A mode that reads events is launched with a server.");
  const { port, password } = server;
  const planned = planProgram(request, ["--serve"]);
  return {
    ...planned,
    env: { ...planned.env, SCRIPTED_AGENT_PORT: String(port), SCRIPTED_AGENT_PASSWORD: password },
    // The events have all that the transcript has: with both, each entry would count twice.
    transcript: null,
    server: { port, user: USER, password },
  };
}
