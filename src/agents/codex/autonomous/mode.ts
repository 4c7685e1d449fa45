import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { checkArguments } from "../arguments.ts";
import { databases } from "../home.ts";
import type { CodexMemory } from "../memory.ts";
import { identityInName, isOwnRollout, parseRolloutUsage } from "../rollout/rollout.ts";
import { controls } from "./controls.ts";
import { OPENING_ID, requestMessage } from "./protocol.ts";
import { parseStream } from "./stream.ts";

/** The app server of Codex: exact states and requests. Sandbox and approvals stay as the user has set them. */
export const autonomous: Mode<CodexMemory> = {
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: false },
  plan,
  trust: ["protocol"],
  sources: {
    stream: { parse: parseStream },
    transcript: { parse: parseRolloutUsage, identityIn: identityInName, isOwn: isOwnRollout },
  },
  controls,
};

function plan(request: LaunchRequest): LaunchPlan {
  const { args, continues, env } = request;
  checkArguments(args);
  return {
    command: ["codex", "app-server", ...args],
    env: {},
    // Never ours to choose.
    nativeId: continues?.how === "resume" ? continues.nativeId : null,
    transcript: null,
    makes: databases(env),
    opening: openingLines(request),
  };
}

function openingLines({ continues, cwd, model }: LaunchRequest): string {
  const clientInfo = { name: "rollcall", title: "Rollcall", version: "0" };
  const thread = { cwd, ...(model === null ? {} : { model }) };
  const before = continues === null ? {} : { threadId: continues.nativeId, excludeTurns: true };
  const messages = [
    requestMessage("initialize", "initialize", { clientInfo }),
    { method: "initialized" },
    requestMessage(OPENING_ID, `thread/${continues?.how ?? "start"}`, { ...before, ...thread }),
  ];
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}
