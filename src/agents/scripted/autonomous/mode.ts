import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import { parseHook } from "../hook.ts";
import { planProgram } from "../launch.ts";
import { controls } from "./controls.ts";
import { parseStream } from "./stream.ts";

/** The program on pipes, in lines of JSON both ways. */
export const autonomous: Mode = {
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  // The stream has all that the transcript has: with both, each turn would count twice.
  plan: (request) => ({ ...planProgram(request, ["--print"]), transcript: null }),
  trust: ["stream", "hook"],
  sources: { stream: { parse: parseStream }, hook: { parse: parseHook } },
  controls,
};
