import { existsSync } from "node:fs";
import { homeFolder, storePath } from "../../home/layout.ts";
import { printable } from "../../present/text.ts";
import { openRollcall } from "../../record/open.ts";
import type { Command } from "./command.ts";
import { allCommands, findCommand } from "./commands.ts";
import type { Output } from "./output.ts";

const MOST_SESSIONS = 200;

/** Prints the candidates for the last word, one a line. Never fails: a shell is waiting. */
export async function complete(words: readonly string[], output: Output): Promise<number> {
  const last = words.at(-1) ?? "";
  try {
    const candidates = await candidatesFor(words.slice(0, -1), last);
    for (const candidate of candidates) if (candidate.startsWith(last)) output.line(candidate);
  } catch {
    // No completion is better than a message in the middle of a command line.
  }
  return 0;
}

async function candidatesFor(before: readonly string[], last: string): Promise<readonly string[]> {
  const [name, ...rest] = before;
  if (name === undefined)
    return [...allCommands().map((command) => command.name), "help", "--help", "--version"];
  if (name === "help") return allCommands().map((command) => command.name);
  const registered = findCommand(name);
  if (!registered) return [];
  const { command } = await registered.load();
  const choices = optionChoices(command, rest.at(-1));
  if (choices) return choices === "session" ? sessions() : choices;
  if (last.startsWith("-")) return [...Object.keys(command.options), "help"].map((option) => `--${option}`);
  return wordCandidates(command, wordsIn(command, rest));
}

/** The values of the option right before, if it takes one. */
function optionChoices(
  command: Command,
  previous: string | undefined,
): readonly string[] | "session" | undefined {
  const option = previous?.startsWith("--") ? command.options[previous.slice(2)] : undefined;
  if (option?.value === undefined) return undefined;
  return option.choices ?? (previous === "--parent" || previous === "--current" ? "session" : []);
}

function wordsIn(command: Command, words: readonly string[]): number {
  const isValue = (index: number) => {
    const before = words[index - 1];
    return before?.startsWith("--") === true && command.options[before.slice(2)]?.value !== undefined;
  };
  return words.filter((word, index) => !word.startsWith("-") && !isValue(index)).length;
}

async function wordCandidates(command: Command, place: number): Promise<readonly string[]> {
  const repeats = command.takes[1] === Number.POSITIVE_INFINITY;
  const kind = command.completes?.[place] ?? (repeats ? command.completes?.at(-1) : undefined);
  if (kind === undefined) return [];
  return kind === "session" ? sessions() : kind;
}

/** Ids and names of the sessions that were active last. Where nothing was recorded yet, nothing is made. */
async function sessions(): Promise<string[]> {
  if (!existsSync(storePath(homeFolder()))) return [];
  await using rollcall = await openRollcall({ warn: () => {}, isProjectOptional: true });
  const { sessions: recent } = await rollcall.page({ limit: MOST_SESSIONS });
  const names = recent.flatMap(({ id, name }) =>
    name === null || printable(name) !== name ? [id] : [name, id],
  );
  return ["last", ...new Set(names)];
}
