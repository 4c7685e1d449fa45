import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import { parseUsd } from "../../domain/limits/money.ts";
import { NO_LIMIT } from "../../home/setting.ts";
import { has, type Input, type OptionSpec, optionOf } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { parseCount } from "../framework/parse-value.ts";
import { limitOption } from "../live.ts";

/** Options of every launch: all of them for start, some for resume and fork. */
export const LAUNCH_OPTIONS = {
  cwd: { value: "DIR", about: "the folder it works in (this one)" },
  prompt: { value: "TEXT", about: "what to give it as soon as it is ready" },
  env: { value: "K=V", about: "one more variable of its environment", multiple: true },
  "env-file": { value: "FILE", about: "more variables, one K=V on each line" },
  timeout: { value: "DURATION", about: "end it after so long, or `none` (`session.timeout`)" },
  "idle-timeout": { value: "DURATION", about: "end it when nothing happened for so long, or `none`" },
  "max-cost": { value: "USD", about: "end it when it and all below it cost so much, or `none`" },
  "max-tokens": { value: "N", about: "end it when it and all below it used so many tokens, or `none`" },
  tmux: { about: "also show it in Rollcall's own tmux" },
  detach: { short: "d", about: "do not attach" },
} as const satisfies Record<string, OptionSpec>;

export interface LaunchInput {
  readonly cwd: string;
  readonly umask: number;
  readonly prompt?: string;
  readonly view?: "tmux";
  readonly timeoutMs?: number | null;
  readonly idleTimeoutMs?: number | null;
  readonly maxCostNanoUsd?: number | null;
  readonly maxTokens?: number | null;
}

export function launchOf(input: Input): LaunchInput {
  const prompt = optionOf(input, "prompt");
  const timeoutMs = limitOption(input, "timeout");
  const idleTimeoutMs = limitOption(input, "idle-timeout");
  const maxCostNanoUsd = costOption(input);
  const maxTokens = tokensOption(input);
  return {
    cwd: resolve(optionOf(input, "cwd") ?? currentFolder()),
    umask: process.umask(),
    ...(prompt === undefined ? {} : { prompt }),
    ...(has(input, "tmux") ? { view: "tmux" } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(maxCostNanoUsd === undefined ? {} : { maxCostNanoUsd }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function costOption(input: Input): number | null | undefined {
  const text = optionOf(input, "max-cost");
  if (text === undefined || text === NO_LIMIT) return text && null;
  const nanoUsd = parseUsd(text);
  if (nanoUsd !== undefined) return nanoUsd;
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not an amount for --max-cost.`, {
    hint: "Write dollars, such as 5 or 0.25: more than 0, at most 1000000, with at most nine decimals.",
  });
}

function tokensOption(input: Input): number | null | undefined {
  const text = optionOf(input, "max-tokens");
  if (text === undefined || text === NO_LIMIT) return text && null;
  return parseCount(text, "--max-tokens");
}

/** A text may stand as a word or behind --prompt, not in both places. */
export function textOf(input: Input, word: string | undefined, verb: string): { readonly prompt?: string } {
  const text = optionOf(input, "prompt");
  if (word !== undefined && text !== undefined)
    throw usage("The text is given twice: as a word and with --prompt.", verb);
  const prompt = word ?? text;
  return prompt === undefined ? {} : { prompt };
}

/** A key makes a retried call do nothing twice. */
export function keyOption(input: Input): string | undefined {
  const key = optionOf(input, "key");
  if (key === undefined || (key !== "" && key.length <= 200)) return key;
  throw new RollcallError("bad_input", "A key has from 1 to 200 characters.", {
    hint: "Choose another --key.",
  });
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
