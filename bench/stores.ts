import type { Bench } from "./figure.ts";
import { fill, openIn } from "./sessions.ts";

const homes = new Map<number, Promise<string>>();

/** How many sessions a large store has. */
export function sizeOf({ isQuick }: Bench): number {
  return isQuick ? 20_000 : 100_000;
}

/** A state folder with so many sessions, made once for all figures of this run; they leave it as it was. */
export function filledHome(bench: Bench, count: number): Promise<string> {
  const home = homes.get(count) ?? make(bench, count);
  homes.set(count, home);
  return home;
}

async function make(bench: Bench, count: number): Promise<string> {
  const home = bench.scratch.folder();
  await using rollcall = await openIn(home);
  await fill(rollcall, count);
  return home;
}
