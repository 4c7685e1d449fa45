import type { Moment } from "../moments.ts";
import { NOT_OFFERED } from "../not-offered.ts";
import { keyOf, latenciesOf, quantile, type Tally, tally } from "./tally.ts";

/** `docs/scorecard.md`, whole. */
export function scorecard(moments: readonly Moment[], runs: number): string {
  return `# Scorecard

How often Rollcall says what a real agent does, measured by \`npm run scorecard\` on the real programs against a scripted
model: at each labelled moment it is known by construction what the program does, and the state that \`rollcall get\` shows
is compared with it, and with every state on the way there. Latency is from the cause of a change until its state can be
read, what the program takes itself included; in this table without the moments in which the program comes up. ${runs === 1 ? "One full run" : `${runs} full runs in a row`}, ${moments.length} moments.

${tallyTable(tally(moments))}

## Wrong or unknown

${problems(moments)}

## Moments

${momentTable(moments)}

## Not offered

${notOfferedTable()}
`;
}

const BEGIN = "<!-- measured -->";
const END = "<!-- /measured -->";

/** The reference of all agents with what was measured now, in short: the scorecard has all of it. */
export function withMeasured(text: string, moments: readonly Moment[]): string {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from)
    throw new Error(`There is no place for what was measured between ${BEGIN} and ${END}.`);
  return `${text.slice(0, from)}${BEGIN}\n${summaryTable(tally(moments))}\n${text.slice(to)}`;
}

export function summaryTable(tallies: readonly Tally[]): string {
  const groups = Map.groupBy(tallies, ({ program, version, kind }) => `${program} ${version} | ${kind}`);
  const rows = [...groups].map(([who, group]) => {
    const right = group.reduce((sum, each) => sum + each.right, 0);
    const all = group.reduce((sum, each) => sum + each.right + each.wrong + each.unknown, 0);
    return `| ${who} | ${group.map(({ source }) => source).join(", ")} | ${right} of ${all} |`;
  });
  return ["| program | kind | sources of the state | right |", "|---|---|---|---|", ...rows].join("\n");
}

export function tallyTable(tallies: readonly Tally[]): string {
  const rows = tallies.map(
    ({ program, version, kind, source, right, wrong, unknown, medianMs, p95Ms }) =>
      `| ${program} ${version} | ${kind} | ${source} | ${right} | ${wrong} | ${unknown} | ${ms(medianMs)} | ${ms(p95Ms)} |`,
  );
  const head = "| program | kind | source of the state | right | wrong | unknown | median | p95 |";
  return [head, "|---|---|---|---|---|---|---|---|", ...rows].join("\n");
}

function problems(moments: readonly Moment[]): string {
  const found = moments.filter(({ verdict }) => verdict !== "right");
  if (found.length === 0) return "None.";
  return found.map((one) => `- ${keyOf(one)}: ${one.expected} expected, ${one.got} shown`).join("\n");
}

function momentTable(moments: readonly Moment[]): string {
  const groups = Map.groupBy(moments, ({ row, moment, expected }) => JSON.stringify([row, moment, expected]));
  const rows = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, group]) => {
      const [row, moment, expected] = JSON.parse(key) as [string, string, string];
      const who = [...new Set(group.map(({ program, kind }) => `${program} ${kind[0]}`))].sort().join(", ");
      const right = group.filter(({ verdict }) => verdict === "right").length;
      const median = ms(quantile(latenciesOf(group), 0.5));
      return `| ${row} | ${moment} | \`${expected}\` | ${who} | ${right} of ${group.length} | ${median} |`;
    });
  return ["| row | moment | state | shown by | right | median |", "|---|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

export function notOfferedTable(): string {
  const rows = NOT_OFFERED.map(
    ({ row, program, kind, why, captured = "—" }) => `| ${row} | ${program} ${kind} | ${why} | ${captured} |`,
  );
  return ["| row | program | why | seen on the program |", "|---|---|---|---|", ...rows].join("\n");
}

function ms(value: number | null): string {
  return value === null ? "—" : `${value} ms`;
}
