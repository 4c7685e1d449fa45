import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../agent.ts";
import { checkArguments } from "./arguments.ts";
import { message, OPENING_ID, request } from "./protocol.ts";

export function plan(asked: LaunchRequest): LaunchPlan {
  checkArguments(asked.args);
  switch (asked.kind) {
    case "interactive":
      return interactive(asked);
    case "autonomous":
      return autonomous(asked);
    case "acp":
      throw new RollcallError("bad_usage", "Codex does not speak ACP by itself.", {
        hint: "Valid kinds: interactive, autonomous.",
      });
  }
}

/** Where the user's Codex keeps what it writes. */
export function codexHome({ CODEX_HOME, HOME }: LaunchRequest["env"]): string {
  return CODEX_HOME || `${HOME ?? ""}/.codex`;
}

/** The socket of the server that Codex shares among its terminals, and leaves running. */
export function sockets(env: LaunchRequest["env"]): readonly string[] {
  return [`${codexHome(env)}/app-server-control/app-server-control.sock`];
}

/** Codex itself lets one process at a time into a conversation. */
export function lockOf(env: LaunchRequest["env"], nativeId: string): string {
  return `${codexHome(env)}/thread-writer-locks/${nativeId}.lock`;
}

function interactive(asked: LaunchRequest): LaunchPlan {
  const { continues, model, args, env } = asked;
  return {
    command: [
      "codex",
      ...(continues === null ? [] : [continues.how, continues.nativeId]),
      ...alone(asked),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: {},
    host: "pty",
    nativeId: resumed(asked),
    transcript: null,
    transcripts: `${codexHome(env)}/sessions`,
  };
}

/**
 * Its tools run as its own children, not in the shared server, where no end would reach them. A server that runs already
 * wants to hear it by an option that older releases lack; to all others a setting says not to start one.
 */
function alone({ answering }: LaunchRequest): string[] {
  return answering.length > 0 ? ["--no-daemon"] : ["-c", "features.daemon_auto_start=false"];
}

/** The app server tells exact states and lets permissions be asked for; sandbox and approvals stay as the user has set them. */
function autonomous(asked: LaunchRequest): LaunchPlan {
  return {
    command: ["codex", "app-server", ...asked.args],
    env: {},
    host: "pipe",
    nativeId: resumed(asked),
    transcript: null,
    opening: opening(asked),
  };
}

function opening({ continues, cwd, model }: LaunchRequest): string {
  const clientInfo = { name: "rollcall", title: "Rollcall", version: "0" };
  const thread = { cwd, ...(model === null ? {} : { model }) };
  const before = continues === null ? {} : { threadId: continues.nativeId, excludeTurns: true };
  return [
    request("initialize", "initialize", { clientInfo }),
    message({ method: "initialized" }),
    request(OPENING_ID, `thread/${continues?.how ?? "start"}`, { ...before, ...thread }),
  ].join("");
}

/** Never ours to choose. */
function resumed({ continues }: LaunchRequest): string | null {
  return continues?.how === "resume" ? continues.nativeId : null;
}
