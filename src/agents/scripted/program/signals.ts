import { constants } from "node:os";

const ENDING = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
const ignored = new Set<string>();

/** Calls back for each signal that would end this process and is not ignored. */
export function onEndingSignal(heard: (signal: (typeof ENDING)[number], code: number) => void): void {
  for (const signal of ENDING)
    process.on(signal, () => {
      if (!ignored.has(signal)) heard(signal, 128 + constants.signals[signal]);
    });
}

export function ignoreSignals(names: readonly string[]): void {
  for (const signal of names.map(signalOf)) {
    ignored.add(signal);
    process.on(signal, () => {});
  }
}

/** By a signal, as a crash does, or with a code, without a word in either case. */
export function endBadly(how: string): void {
  if (/^\d+$/.test(how)) process.exit(Number(how));
  const signal = signalOf(how === "" ? "SIGSEGV" : how);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function signalOf(name: string): NodeJS.Signals {
  const full = name.toUpperCase().replace(/^(?!SIG)/, "SIG");
  if (full in constants.signals) return full as NodeJS.Signals;
  throw new Error(`${name} is not a signal`);
}
