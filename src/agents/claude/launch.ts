import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../launch.ts";
import { configFolder, hasConfigFolder, transcriptPath } from "./paths.ts";
import { settingsWith } from "./settings.ts";

const SETTINGS = "settings.json";

/** The part of a plan in which the modes differ. */
interface ModeOptions {
  readonly options: readonly string[];
  /** The hooks that call our script. Few, for each holds the session up. */
  readonly events: readonly string[];
}

/** The plan that both modes share. */
export function planClaude(request: LaunchRequest, { options, events }: ModeOptions): LaunchPlan {
  const { model, args } = request;
  checkArguments(args);
  const hasSettings = bringsSettings(args);
  const nativeId = nativeIdOf(request);
  return {
    command: [
      ...["claude", ...options, ...identityOptions(request)],
      ...(hasSettings ? [] : ["--settings", `${request.folder}/${SETTINGS}`]),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: {},
    nativeId,
    ...(hasSettings ? {} : { files: { [SETTINGS]: settingsWith(request.hookScript, events) } }),
    transcript: expectedTranscript(request, nativeId),
  };
}

/** Claude Code accepts one `--settings` only, and the last one wins. */
export function bringsSettings(args: readonly string[]): boolean {
  return args.some((arg) => /^--settings(=|$)/u.test(arg));
}

/** The absolute folder of its files, for a process in the folder of this launch. */
export function configOf({ env, cwd }: LaunchRequest): string | undefined {
  if (!hasConfigFolder(env)) return undefined;
  const folder = configFolder(env);
  return folder.startsWith("/") ? folder : `${cwd}/${folder}`;
}

/** Options that would take a session's identity, or its terminal or stream away. */
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

function identityOptions({ continues, freshId }: LaunchRequest): string[] {
  if (continues?.how === "resume") return ["--resume", continues.nativeId];
  const own = ["--session-id", freshId];
  return continues === null ? own : ["--resume", continues.nativeId, "--fork-session", ...own];
}

/** A conversation that began in another folder stays there: then a hook names the file. */
function expectedTranscript(request: LaunchRequest, nativeId: string): string | null {
  const config = configOf(request);
  return config === undefined ? null : transcriptPath(config, request.cwd, nativeId);
}
