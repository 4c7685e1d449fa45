import { exitCodeOf, RollcallError } from "../domain/errors.ts";
import type { Command } from "./framework/command.ts";
import { allCommands, findCommand, type Registered } from "./framework/commands.ts";
import { commandHelp, mainHelp } from "./framework/help.ts";
import { nearest } from "./framework/nearest.ts";
import { Output } from "./framework/output.ts";
import { parseInput } from "./framework/parse.ts";

/** The command line: finds the command, loads it alone, and turns what it throws into one sentence and an exit code. */
export function run(args: readonly string[] = process.argv.slice(2)): void {
  const output = new Output(wantsJson(args));
  dispatch(args, output).then(
    // Everything is written and committed by now: leaving at once spares the work of taking Node down.
    (code) => process.exit(code),
    async (error: unknown) => {
      await output.error(error);
      process.exit(exitCodeOf(error));
    },
  );
}

async function dispatch(args: readonly string[], output: Output): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined || first === "--json" || first === "--all")
    return (await import("./roll.ts")).showRoll(args, output);
  if (first === "--version" || first === "-v")
    return (await import("./framework/version.ts")).showVersion(output);
  if (first === "--help" || first === "-h" || first === "help") return help(rest, output);
  if (first === "__complete") return (await import("./framework/complete.ts")).complete(rest, output);
  const registered = findCommand(first);
  if (!registered) throw unknownCommand(first);
  const { command } = await registered.load();
  try {
    return await runCommand(registered, command, rest, output);
  } catch (error) {
    const isUsage = error instanceof RollcallError && error.code === "bad_usage";
    if (!isUsage || command.badUsageExit === undefined) throw error;
    await output.error(error);
    return command.badUsageExit;
  }
}

async function runCommand(
  registered: Registered,
  command: Command,
  args: readonly string[],
  output: Output,
): Promise<number> {
  const input = parseInput(registered.name, command, args);
  if (!input.flags.has("help")) return command.run(input, output);
  output.line(commandHelp(registered, command));
  return 0;
}

async function help(words: readonly string[], output: Output): Promise<number> {
  const name = words.find((word) => word !== "--json");
  const registered = name === undefined ? undefined : findCommand(name);
  if (name !== undefined && !registered) throw unknownCommand(name);
  output.line(registered ? commandHelp(registered, (await registered.load()).command) : mainHelp());
  return 0;
}

function unknownCommand(name: string): RollcallError {
  if (name.startsWith("-")) {
    return new RollcallError("bad_usage", `${name} is not an option of \`rollcall\` alone.`, {
      hint: "Valid: --all, --json, --help, --version; or give a command first.",
    });
  }
  const commands = allCommands();
  const near = nearest(
    name,
    commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]),
  );
  return new RollcallError("bad_usage", `${JSON.stringify(name)} is not a command.`, {
    hint: near
      ? `Did you mean \`rollcall ${near}\`? \`rollcall --help\` shows all.`
      : `Valid: ${commands.map((command) => command.name).join(", ")}.`,
  });
}

/** Arguments after `--` belong to the command that is started. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}
