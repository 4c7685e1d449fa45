import type { Output } from "./output.ts";

export interface OptionSpec {
  /** What the value is called in help; a flag has none. */
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
  /** What comes after `--` is not for Rollcall, such as a command to start. */
  readonly takesRest?: boolean;
  /** What the words can be, for completion. */
  readonly completes?: readonly ("session" | readonly string[])[];
  readonly about: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly (readonly [command: string, does: string])[];
  /** What wrong usage exits with; 2 where nothing else is said. */
  readonly badUsageExit?: 1;
  /** Returns the exit code; throws a coded error for anything that fails. */
  run(input: Input, output: Output): Promise<number>;
}

/** The words and options of a call, checked against what the command takes. */
export interface Input {
  readonly words: readonly string[];
  /** What came after `--`; undefined where there was none. */
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
