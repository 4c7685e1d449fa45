/** The sources of observations; the order of trust among them is each agent adapter's. */
export const SOURCES = [
  "process",
  "protocol",
  "terminal",
  "file",
  "hook",
  "stream",
  "transcript",
  "screen",
  "timer",
  "usage",
  "operator",
  "declared",
] as const;
export type Source = (typeof SOURCES)[number];

/** Why a state is what it is: who said so, the rule that fired, and what it saw. */
export interface Evidence {
  readonly source: Source;
  readonly rule: string;
  readonly excerpt: string | null;
}
