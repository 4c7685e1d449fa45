// Measures Rollcall against the bars of budget.json: `node bench/main.ts [GROUP…] [--quick] [--lenient] [--json | --json=FILE]`.
// `--lenient` fails only on counts and on what must hold always: times on a busy machine are printed, and decide nothing.
import { writeFileSync } from "node:fs";
import { append } from "./append.ts";
import { isFault } from "./budget.ts";
import { budgets } from "./budgets.ts";
import { cleanup } from "./cleanup.ts";
import { contention } from "./contention.ts";
import type { Bench, Group } from "./figure.ts";
import { floods } from "./floods.ts";
import { importing } from "./import.ts";
import { list } from "./list.ts";
import { listMemory } from "./list-memory.ts";
import { live } from "./live.ts";
import { pages } from "./pages.ts";
import { quiet } from "./quiet.ts";
import { read } from "./read.ts";
import { sampling } from "./sampling.ts";
import { scan } from "./scan.ts";
import { Scratch } from "./scratch.ts";
import { search } from "./search.ts";
import { startUp } from "./start-up.ts";
import { HEADER, type Judged, judge, showFigure, showMachine, thisMachine } from "./table.ts";
import { terminal } from "./terminal.ts";
import { transcript } from "./transcript.ts";

const GROUPS: Readonly<Record<string, Group>> = {
  append,
  pages,
  read,
  list,
  budgets,
  cleanup,
  "start-up": startUp,
  contention,
  "list-memory": listMemory,
  live,
  sampling,
  terminal,
  transcript,
  quiet,
  floods,
  search,
  import: importing,
  scan,
};

interface Orders {
  readonly groups: readonly string[];
  readonly isQuick: boolean;
  readonly isLenient: boolean;
  /** Only JSON on stdout. */
  readonly isJson: boolean;
  readonly file: string | undefined;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const orders = parse(args);
  if (typeof orders === "string") return complain(orders);
  const { isQuick, isJson, file } = orders;
  const say = isJson ? () => undefined : (text: string) => console.log(text);
  const machine = thisMachine();
  say(`${showMachine(machine)}${isQuick ? ", short form" : ""}\n\n${HEADER}`);
  const figures: Judged[] = [];
  const bench = { isQuick, scratch: new Scratch() };
  for (const name of orders.groups) {
    for (const figure of await measure(GROUPS[name] as Group, bench)) {
      figures.push(figure);
      say(showFigure(figure));
    }
  }
  const json = `${JSON.stringify({ machine, quick: isQuick, figures }, null, 2)}\n`;
  if (file !== undefined) writeFileSync(file, json);
  if (isJson) process.stdout.write(json);
  return verdict(figures, orders.isLenient);
}

/** One run may meet a busy moment: where a ratio misses its bar, the median of three runs counts, whichever way it goes. */
async function measure(group: Group, bench: Bench): Promise<Judged[]> {
  const first = await run(group, bench);
  if (!first.some(isMissedRatio)) return first;
  const [second, third] = [await run(group, bench), await run(group, bench)];
  return first.map((figure, index) => medianOf([figure, second[index], third[index]]) ?? figure);
}

async function run(group: Group, bench: Bench): Promise<Judged[]> {
  const figures: Judged[] = [];
  for await (const figure of group(bench)) figures.push(judge(figure));
  return figures;
}

function isMissedRatio(figure: Judged): boolean {
  return "ok" in figure && !figure.ok && figure.valueUnit === "x";
}

function medianOf(figures: readonly (Judged | undefined)[]): Judged | undefined {
  const measured = figures.filter((figure) => figure !== undefined && "value" in figure);
  return measured.sort((a, b) => a.value - b.value)[1];
}

function parse(args: readonly string[]): Orders | string {
  const groups = args.filter((arg) => !arg.startsWith("-"));
  const options = args.filter((arg) => arg.startsWith("-"));
  const wrongGroup = groups.find((name) => !Object.hasOwn(GROUPS, name));
  if (wrongGroup !== undefined)
    return `There is no group ${wrongGroup}; valid: ${Object.keys(GROUPS).join(", ")}.`;
  const wrongOption = options.find((option) => !/^--(?:quick|lenient|json|json=.+)$/.test(option));
  if (wrongOption !== undefined)
    return `${wrongOption} is no option; valid: --quick, --lenient, --json, --json=FILE.`;
  return {
    groups: groups.length > 0 ? groups : Object.keys(GROUPS),
    isQuick: options.includes("--quick"),
    isLenient: options.includes("--lenient"),
    isJson: options.includes("--json"),
    file: options.find((option) => option.startsWith("--json="))?.slice("--json=".length),
  };
}

/** A figure that was not run is a failure only in CI, where everything must be there. */
function verdict(figures: readonly Judged[], isLenient: boolean): number {
  const notRun = figures.filter((figure) => "notRun" in figure);
  const missed = figures.filter((figure) => "ok" in figure && !figure.ok);
  if (missed.length > 0) console.error(`\nMissed its bar: ${missed.map(({ name }) => name).join(", ")}.`);
  const failed = isLenient
    ? missed.filter((figure) => "bar" in figure && isFault(figure, figure.bar))
    : missed;
  if (isLenient && missed.length > 0)
    console.error(`Of these faults on any machine: ${failed.map(({ name }) => name).join(", ") || "none"}.`);
  const isIncomplete = notRun.length > 0 && process.env.CI === "true";
  if (isIncomplete) console.error(`\nNot run: ${notRun.map(({ name }) => name).join(", ")}.`);
  return failed.length > 0 || isIncomplete ? 1 : 0;
}

function complain(sentence: string): number {
  console.error(sentence);
  return 2;
}
