import { RollcallError } from "../domain/errors.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { describeError, type Output } from "./framework/output.ts";

/** Goes into an answer as it is: says that no daemon watches, so that states may be old. */
export interface Freshness {
  readonly stale?: true;
}

const ADOPT_MS = 3000;
const ROLL_MS = 10_000;

/**
 * Makes sure, before states are read, that a daemon watches the live sessions that Rollcall carries. Where none is
 * recorded, this costs one look into an index.
 */
export async function freshen({ context }: Rollcall, output: Output): Promise<Freshness> {
  const { store, config, home } = context;
  return (await store.hasCarriedLive(config.machine)) ? startWatching(home, output, ADOPT_MS) : {};
}

/** The same for the roll, which also shows sessions that only a daemon finds. */
export async function freshenRoll({ context }: Rollcall, output: Output): Promise<Freshness> {
  return startWatching(context.home, output, ROLL_MS);
}

async function startWatching(home: string, output: Output, withinMs: number): Promise<Freshness> {
  try {
    using _ = await inTime(runningDaemon(home), withinMs);
    return {};
  } catch (error) {
    // One of another version watches as well.
    if (error instanceof RollcallError && error.code === "daemon_other_version") return {};
    const { message, hint } = describeError(error);
    if (!output.isJson) output.warn(["States may be old.", message, hint].filter(Boolean).join(" "));
    return { stale: true };
  }
}

async function runningDaemon(home: string): Promise<Disposable> {
  const { ensureDaemon } = await import("../client/start-daemon.ts");
  const { daemonOptions } = await import("./live.ts");
  return ensureDaemon(daemonOptions(home));
}

async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The daemon does not answer within ${withinMs / 1000} s.`;
    late.reject(
      new RollcallError("daemon_failed", message, { hint: "Try again, or see `rollcall status`." }),
    );
  }, withinMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
