import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../launch.ts";
import { projectsFolder } from "./home.ts";

/** The options whose value is a word of its own. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  ...["-m", "--model", "--approval-mode", "--policy", "--admin-policy", "--allowed-mcp-server-names"],
  ...["--allowed-tools", "-e", "--extensions", "--include-directories"],
]);

/** Options that would take a session's identity, its folder, or its terminal or stream away. */
const OURS =
  /^(?:-[prwio]|--(?:prompt|prompt-interactive|resume|session-id|session-file|output-format|worktree|acp|experimental-acp|list-sessions|delete-session|list-extensions)(?:=.*)?)$/su;

/** The plan that both modes share. The id of a new conversation is ours to choose. */
export function planGemini(request: LaunchRequest, options: readonly string[]): LaunchPlan {
  const { continues, freshId, model, args, env } = request;
  checkArguments(args);
  return {
    command: [
      ...["gemini", ...options],
      ...(continues === null ? ["--session-id", freshId] : ["--resume", continues.nativeId]),
      ...(model === null ? [] : ["--model", model]),
      ...args,
    ],
    env: {},
    nativeId: continues?.nativeId ?? freshId,
    transcript: null,
    transcripts: projectsFolder(env),
  };
}

/** Options only: a word would be a command of Gemini CLI, or a text that every resume says again. */
export function checkArguments(args: readonly string[]): void {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (OURS.test(arg))
      throw refused(
        `Rollcall itself decides about ${arg.replace(/=.*$/su, "")} of Gemini CLI.`,
        "Use `--kind`, `--cwd`, `--worktree` before the `--`, and `rollcall resume` instead.",
      );
    if (!arg.startsWith("-") || arg === "-" || arg === "--")
      throw refused(
        `Gemini CLI cannot be given the word ${JSON.stringify(shortened(arg))} here.`,
        "Only options of Gemini CLI go behind `--`; a first text is given with --prompt.",
      );
    if (WITH_VALUE.has(arg)) index += 1;
  }
}

function refused(message: string, hint: string): RollcallError {
  return new RollcallError("bad_usage", message, { hint });
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
