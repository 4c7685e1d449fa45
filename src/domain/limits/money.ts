/** Billionths of a dollar in a dollar. */
export const NANO = 1_000_000_000;
const DECIMALS = 9;

/** The largest amount that a setting or option takes, in dollars: sums far beyond it are still exact. */
export const MOST_USD = 1_000_000;

/** Dollars as people write them, in billionths; undefined where it is not a positive amount that can be kept exactly. */
export function parseUsd(text: string): number | undefined {
  const match = /^\$?(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const nano = Number(match[1]) * NANO + Number((match[2] ?? "").padEnd(DECIMALS, "0"));
  return nano > 0 && nano <= MOST_USD * NANO ? nano : undefined;
}

/** Exact, with two decimals at least: `$0.05`, `$0.0412`, `$12.00`. */
export function formatUsd(nano: number): string {
  const whole = Math.floor(nano / NANO);
  const rest = String(nano % NANO).padStart(DECIMALS, "0");
  return `$${whole}.${rest.replace(/0{1,7}$/, "")}`;
}
