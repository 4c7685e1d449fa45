import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { RollcallError } from "../domain/errors.ts";
import { has, type Input, type OptionSpec, optionOf } from "./command.ts";
import { durationOption } from "./live.ts";

/** What every launch of an agent takes: by start, and in part by resume and fork. */
export const LAUNCH_OPTIONS = {
  cwd: { value: "DIR", about: "the folder it works in (this one)" },
  prompt: { value: "TEXT", about: "what to give it as soon as it is ready" },
  env: { value: "K=V", about: "one more variable of its environment", multiple: true },
  "env-file": { value: "FILE", about: "more variables, one K=V on each line" },
  timeout: { value: "DURATION", about: "end it after so long" },
  "idle-timeout": { value: "DURATION", about: "end it when nothing happened for so long" },
  "max-cost": { value: "USD", about: "end it at this cost (not offered yet)" },
  "max-tokens": { value: "N", about: "end it at so many tokens (not offered yet)" },
  tmux: { about: "also show it in Rollcall's own tmux" },
  detach: { short: "d", about: "do not attach" },
} as const satisfies Record<string, OptionSpec>;

export interface LaunchInput {
  readonly cwd: string;
  readonly prompt?: string;
  readonly view?: "tmux";
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

export function launchOf(input: Input): LaunchInput {
  const prompt = optionOf(input, "prompt");
  const timeoutMs = durationOption(input, "timeout");
  const idleTimeoutMs = durationOption(input, "idle-timeout");
  return {
    cwd: resolve(optionOf(input, "cwd") ?? currentFolder()),
    ...(prompt === undefined ? {} : { prompt }),
    ...(has(input, "tmux") ? { view: "tmux" } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  };
}

/** The caller's environment, with what the options add. */
export function environmentOf(input: Input): Record<string, string> {
  const file = optionOf(input, "env-file");
  const pairs = [...(file === undefined ? [] : linesOf(file)), ...(input.values.get("env") ?? [])];
  return { ...(process.env as Record<string, string>), ...Object.fromEntries(pairs.map(pairOf)) };
}

function pairOf(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  const name = text.slice(0, at);
  if (at > 0 && /^\w+$/.test(name) && !text.includes("\0")) return [name, text.slice(at + 1)];
  throw new RollcallError("bad_input", `${JSON.stringify(text.slice(0, 40))} does not set a variable.`, {
    hint: "Write NAME=VALUE.",
  });
}

function linesOf(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  } catch (cause) {
    throw new RollcallError("bad_input", `${path} cannot be read.`, { hint: "Check --env-file.", cause });
  }
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new RollcallError("bad_input", "This folder is gone.", { hint: "Choose another with --cwd." });
  }
}
