import type { Command, OptionSpec } from "./command.ts";
import { GROUPS, type Registered } from "./commands.ts";

export function mainHelp(): string {
  const names = GROUPS.flatMap(({ commands }) => commands.map(title));
  const width = Math.max(...names.map((name) => name.length));
  const groups = GROUPS.map(({ title: heading, commands }) =>
    [
      `${heading}:`,
      ...commands.map((command) => `  ${title(command).padEnd(width)}  ${command.summary}`),
    ].join("\n"),
  );
  return [
    "Rollcall starts, watches, answers, records, resumes and ends the sessions of your coding agents.",
    "Usage: rollcall                    the roll: sessions that live, those that wait for you first\n       rollcall COMMAND [OPTIONS]   `rollcall COMMAND --help` tells more",
    ...groups,
    "An ID is a full id, the six digits that tables show, a name, `last`, or `self` inside a session.\nExit codes: 0 done, 1 failed, 2 wrong usage or input, 3 not found, 4 not possible now, 5 timed out.",
  ].join("\n\n");
}

export function commandHelp(registered: Registered, command: Command): string {
  const options = Object.entries({
    ...command.options,
    help: { about: "show this help", short: "h" } as OptionSpec,
  });
  const names = options.map(([name, spec]) => optionTitle(name, spec));
  const width = Math.max(...names.map((name) => name.length));
  const usage = ["rollcall", title(registered).split(",")[0], command.words, "[OPTIONS]"]
    .filter(Boolean)
    .join(" ");
  const also = registered.aliases ? `\nAlso: rollcall ${registered.aliases.join(", ")}` : "";
  const exampleWidth = Math.max(...command.examples.map(([example]) => example.length));
  return [
    `Usage: ${usage}${also}`,
    command.about,
    [
      "Options:",
      ...options.map(
        ([, spec], index) => `  ${names[index]?.padEnd(width)}  ${wrap(about(spec), width + 4)}`,
      ),
    ].join("\n"),
    [
      "Examples:",
      ...command.examples.map(([example, does]) => `  ${example.padEnd(exampleWidth)}  # ${does}`),
    ].join("\n"),
  ].join("\n\n");
}

function title({ name, aliases }: Registered): string {
  return [name, ...(aliases ?? [])].join(", ");
}

function optionTitle(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function about({ about: text, choices, multiple }: OptionSpec): string {
  return [text, choices ? `(${choices.join(", ")})` : "", multiple ? "(may be given again)" : ""]
    .filter(Boolean)
    .join(" ");
}

const LINE = 100;

/** Lines of at most a hundred columns, the later ones under the beginning of the first. */
function wrap(text: string, indent: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line !== "" && line.length + word.length + 1 > LINE - indent) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
