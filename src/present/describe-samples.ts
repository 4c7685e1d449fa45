import { mergeSamples, type Sample } from "../domain/sample.ts";
import type { SessionRecord } from "../domain/session/session.ts";
import { bytes, duration, percentOf, plural, relativeTime, UNKNOWN } from "./format.ts";

/** More steps than this say no more. */
const MOST_STEPS = 60;
const LEAST_STEPS = 8;
/** The titles and figures beside a line. */
const BESIDE = 60;

type Value = number | null;

/** The measurements of a session for people: a line over time for each thing that is measured. */
export function describeSamples(
  { resources }: Pick<SessionRecord, "resources">,
  samples: readonly Sample[],
  { width, now }: { readonly width: number; readonly now: number },
): string {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return "Nothing was measured in this time.";
  const steps = inSteps(samples, Math.max(LEAST_STEPS, Math.min(MOST_STEPS, width - BESIDE)));
  const lines = (of: (step: Sample) => Value) => sparkline(steps.map((step) => step && of(step)));
  const highest = (of: (sample: Sample) => Value) => samples.map(of).reduce(most, null);
  const grown = (of: (step: Sample) => Value) => sparkline(growth(steps.map((step) => step && of(step))));
  const amount = (value: Value) => (value === null ? UNKNOWN : bytes(Math.round(value)));
  const rows: readonly (readonly [title: string, line: string, figures: string])[] = [
    [
      "CPU",
      lines(({ cpuPercent }) => cpuPercent),
      `now ${percentOf(last.cpuPercent)}, average ${percentOf(resources.avgCpuPercent)}`,
    ],
    [
      "memory",
      lines(({ memoryRssBytes }) => memoryRssBytes),
      `now ${amount(last.memoryRssBytes)}, peak ${amount(resources.peakMemoryRssBytes)}`,
    ],
    [
      "read",
      grown(({ ioReadChars }) => ioReadChars),
      `${amount(last.ioReadChars)}, ${amount(last.ioReadBytes)} from disk`,
    ],
    [
      "written",
      grown(({ ioWriteChars }) => ioWriteChars),
      `${amount(last.ioWriteChars)}, ${amount(last.ioWriteBytes)} to disk`,
    ],
    [
      "processes",
      lines(({ processes }) => processes),
      `now ${last.processes ?? UNKNOWN}, most ${highest(({ processes }) => processes) ?? UNKNOWN}`,
    ],
    [
      "workspace",
      lines(({ workspaceBytesUsed }) => workspaceBytesUsed),
      amount(resources.workspaceBytesUsed),
    ],
  ];
  const over = duration(Date.parse(last.at) - Date.parse(first.at) + last.overMs);
  const head = `${plural(samples.length, "sample")} over ${over}, the last ${relativeTime(last.at, now)}`;
  return [head, ...rows.map(([title, line, figures]) => `${title.padEnd(9)}  ${line}  ${figures}`)].join(
    "\n",
  );
}

/** One sample for each step of time; undefined where nothing was measured in it. */
function inSteps(samples: readonly Sample[], mostSteps: number): (Sample | undefined)[] {
  const times = samples.map(({ at }) => Date.parse(at));
  const [first = 0, last = 0] = [times.at(0), times.at(-1)];
  const steps = Math.min(mostSteps, samples.length);
  const stepOf = (time: number) => Math.floor(((time - first) / Math.max(1, last - first + 1)) * steps);
  const groups = Map.groupBy(samples, ({ at }) => stepOf(Date.parse(at)));
  return Array.from({ length: steps }, (_, step) => {
    const group = groups.get(step);
    return group?.[0] && mergeSamples(group[0].at, group);
  });
}

/** How much a counter grew in each step; unknown for the first. */
function growth(values: readonly (Value | undefined)[]): (Value | undefined)[] {
  let before: Value = null;
  return values.map((value) => {
    const grown = value === undefined || value === null || before === null ? null : value - before;
    before = value ?? before;
    return grown;
  });
}

const BARS = "▁▂▃▄▅▆▇█";

/** A bar for each value, from zero to the highest; a gap where there is none. */
export function sparkline(values: readonly (Value | undefined)[]): string {
  const highest = values.map((value) => value ?? null).reduce(most, null) ?? 0;
  const bar = (value: number) => BARS[highest <= 0 ? 0 : Math.round((value / highest) * (BARS.length - 1))];
  return values
    .map((value) => (value === undefined || value === null ? " " : bar(Math.max(0, value))))
    .join("");
}

function most(a: Value, b: Value): Value {
  return a === null || (b !== null && b > a) ? b : a;
}
