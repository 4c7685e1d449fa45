import { RollcallError } from "../../domain/errors.ts";
import type { Command, Input, OptionSpec } from "./command.ts";
import { nearest } from "./nearest.ts";

type Options = Readonly<Record<string, OptionSpec>>;

/** Reads the words and options of a call; refuses what the command does not take. */
export function parseInput(
  name: string,
  command: Pick<Command, "options" | "takes" | "words" | "takesRest">,
  given: readonly string[],
): Input {
  const end = command.takesRest ? given.indexOf("--") : -1;
  const args = end < 0 ? given : given.slice(0, end);
  const options: Options = { ...command.options, help: { about: "show this help", short: "h" } };
  const words: string[] = [];
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  for (const token of tokensOf(options, args)) {
    if (typeof token === "string") words.push(token);
    else take(name, options, token, flags, values);
  }
  checkWords(name, command, words, flags);
  return { words, flags, values, ...(end < 0 ? {} : { rest: given.slice(end + 1) }) };
}

/**
 * Words as they are, options with the value behind them: `--name value`, `--name=value`, `-n value`; all after `--` are
 * words. Written out because Node's own parser takes longer to load than most commands to run.
 */
function* tokensOf(options: Options, args: readonly string[]): Iterable<string | OptionToken> {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === "--") return yield* args.slice(index + 1);
    if (!arg.startsWith("-") || arg === "-") {
      yield arg;
      continue;
    }
    const at = arg.indexOf("=");
    const rawName = at < 0 || !arg.startsWith("--") ? arg : arg.slice(0, at);
    const name = nameOf(options, rawName);
    if (rawName !== arg) yield { name, rawName, value: arg.slice(at + 1), inlineValue: true };
    else if (options[name]?.value === undefined) yield { name, rawName };
    else yield { name, rawName, value: args[++index] };
  }
}

/** The long name of an option; one letter may stand for it. */
function nameOf(options: Options, rawName: string): string {
  if (rawName.startsWith("--")) return rawName.slice(2);
  const letter = rawName.slice(1);
  return Object.keys(options).find((name) => options[name]?.short === letter) ?? letter;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function take(
  command: string,
  options: Options,
  token: OptionToken,
  flags: Set<string>,
  values: Map<string, string[]>,
): void {
  const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (!spec) throw unknownOption(command, options, token.rawName);
  if (spec.value === undefined) {
    if (token.value !== undefined) throw usage(`${token.rawName} takes no value.`, command);
    flags.add(token.name);
    return;
  }
  const swallowed = !token.inlineValue && isOption(options, token.value);
  if (token.value === undefined || swallowed)
    throw usage(`${token.rawName} needs a value (${spec.value}).`, command);
  const given = values.get(token.name) ?? [];
  if (given.length > 0 && !spec.multiple) throw usage(`${token.rawName} is given twice.`, command);
  values.set(token.name, [...given, token.value]);
}

function isOption(options: Options, text: string | undefined): boolean {
  return text?.startsWith("--") === true && Object.hasOwn(options, text.slice(2));
}

function checkWords(
  name: string,
  command: Pick<Command, "takes" | "words">,
  words: readonly string[],
  flags: ReadonlySet<string>,
): void {
  if (flags.has("help")) return;
  const [least, most] = command.takes;
  if (words.length < least) throw needs(name, command.words);
  if (words.length > most)
    throw usage(`\`rollcall ${name}\` does not take ${JSON.stringify(words[most])}.`, name);
  const empty = words.indexOf("");
  if (empty >= 0) throw usage(`Word ${empty + 1} after \`rollcall ${name}\` is empty.`, name);
}

function unknownOption(command: string, options: Options, given: string): RollcallError {
  const names = Object.keys(options);
  const near = nearest(given.replace(/^-+/, ""), names);
  const valid = `Valid: ${names.map((name) => `--${name}`).join(", ")}.`;
  return new RollcallError("bad_usage", `${given} is not an option of \`rollcall ${command}\`.`, {
    hint: `${near ? `Did you mean --${near}?` : valid} A word that begins with a dash goes behind \`--\`.`,
  });
}

export function usage(message: string, command: string): RollcallError {
  const call = ["rollcall", command, "--help"].filter(Boolean).join(" ");
  return new RollcallError("bad_usage", message, { hint: `See \`${call}\`.` });
}

function needs(command: string, words: string): RollcallError {
  const ids = words.startsWith("ID") ? " `rollcall list` shows ids and names." : "";
  return new RollcallError("bad_usage", `\`rollcall ${command}\` needs ${words}.`, {
    hint: `See \`rollcall ${command} --help\`.${ids}`,
  });
}
