import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../agent.ts";
import { initialize } from "./protocol.ts";
import { settingsWith } from "./settings.ts";
import { transcriptPath } from "./transcript-path.ts";

const SETTINGS = "settings.json";

/** Both ways of talking to it in lines of JSON, and each thing that it wants to do is asked for. */
const STREAMING = [
  ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
  ...["--permission-prompt-tool", "stdio"],
  // It repeats what it was told: so an answer is known to be taken.
  "--replay-user-messages",
];

export function plan(request: LaunchRequest): LaunchPlan {
  const { kind, model, args } = request;
  if (kind === "acp")
    throw new RollcallError("bad_usage", "Claude Code does not speak ACP itself.", {
      hint: "Valid kinds: interactive, autonomous.",
    });
  checkArguments(args);
  const isStreaming = kind === "autonomous";
  const nativeId = nativeIdOf(request);
  const brings = args.some((arg) => /^--settings(=|$)/u.test(arg));
  const events = isStreaming ? ["SessionStart"] : ["SessionStart", "PermissionRequest", "SessionEnd"];
  return {
    command: [
      ...["claude", ...(isStreaming ? STREAMING : []), ...identityOf(request)],
      ...(brings ? [] : ["--settings", `${request.folder}/${SETTINGS}`]),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: isStreaming ? { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } : reporting(request.env),
    host: isStreaming ? "pipe" : "pty",
    nativeId,
    ...(brings ? {} : { files: { [SETTINGS]: settingsWith(request.hookScript, events) } }),
    ...filesOf(request, nativeId),
    ...(isStreaming ? { opening: initialize() } : {}),
    ...(brings && !isStreaming ? { notice: WITHOUT_HOOKS } : {}),
  };
}

/** It takes one `--settings` only, and the last one wins. */
const WITHOUT_HOOKS =
  "It was started with settings of its own, in place of Rollcall's: what it asks for is told without the input of the tool.";

/** What these do would leave the session without its identity, or without a terminal or stream to follow. */
const OURS =
  /^(?:-[prc]|--(?:print|resume|continue|fork-session|session-id|input-format|output-format|permission-prompt-tool|replay-user-messages|no-session-persistence|from-pr|teleport|remote|background|bg|tmux)(?:=|$))/u;

function checkArguments(args: readonly string[]): void {
  const refused = args.find((arg) => OURS.test(arg));
  if (refused === undefined) return;
  const flag = refused.split("=")[0] ?? refused;
  throw new RollcallError("bad_usage", `Rollcall itself decides about ${flag} of Claude Code.`, {
    hint: "Use `--kind`, `rollcall resume` and `rollcall fork` instead.",
  });
}

function nativeIdOf({ continues, freshId }: LaunchRequest): string {
  return continues?.how === "resume" ? continues.nativeId : freshId;
}

function identityOf({ continues, freshId }: LaunchRequest): string[] {
  if (continues?.how === "resume") return ["--resume", continues.nativeId];
  const own = ["--session-id", freshId];
  return continues === null ? own : ["--resume", continues.nativeId, "--fork-session", ...own];
}

/** Its reports stop together with its titles. */
function reporting({
  CLAUDE_CODE_DISABLE_TERMINAL_TITLE: off,
}: LaunchRequest["env"]): Record<string, string> {
  return off === undefined ? {} : { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "" };
}

/** Where it is expected to write. A conversation that began in another folder stays there, as a hook tells. */
function filesOf(
  { env, cwd, kind }: LaunchRequest,
  nativeId: string,
): Pick<LaunchPlan, "transcript" | "liveFiles"> {
  const own = env.CLAUDE_CONFIG_DIR || (env.HOME ? `${env.HOME}/.claude` : undefined);
  if (own === undefined) return { transcript: null };
  const folder = own.startsWith("/") ? own : `${cwd}/${own}`;
  return {
    transcript: transcriptPath(folder, cwd, nativeId),
    ...(kind === "interactive" ? { liveFiles: `${folder}/sessions` } : {}),
  };
}
