import type { Output } from "./output.ts";

export interface OptionSpec {
  /** The name of the value in help; a flag has none. */
  readonly value?: string;
  readonly about: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Values that the option takes, for completion and help. */
  readonly choices?: readonly string[];
}

export interface Command {
  /** How the words after the command go, such as `ID completed|failed|abandoned`. */
  readonly words: string;
  /** How many words it takes at least and at most. */
  readonly takes: readonly [least: number, most: number];
  /** Arguments after `--` are passed on, such as a command to start. */
  readonly takesRest?: boolean;
  /** The possible words, for completion. */
  readonly completes?: readonly ("session" | readonly string[])[];
  readonly about: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly (readonly [command: string, does: string])[];
  /** The exit code for wrong usage, if it is not 2. */
  readonly badUsageExit?: 1;
  /** Returns the exit code; throws a coded error for anything that fails. */
  run(input: Input, output: Output): Promise<number>;
}

/** The words and options of a call, checked against what the command takes. */
export interface Input {
  readonly words: readonly string[];
  /** The arguments after `--`; undefined without one. */
  readonly rest?: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export function has(input: Input, name: string): boolean {
  return input.flags.has(name);
}

export function optionOf(input: Input, name: string): string | undefined {
  return input.values.get(name)?.at(-1);
}

export const JSON_OPTION: OptionSpec = { about: "print JSON for programs" };
