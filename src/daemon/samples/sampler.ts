import type { Logger } from "pino";
import { toInstant } from "../../domain/time.ts";
import { readTree } from "../../home/known-tree.ts";
import { type Config, durationOf } from "../../home/settings.ts";
import type { Context } from "../../record/context.ts";
import { type ScannedProcess, scanProcesses } from "../../telemetry/process-scan.ts";
import { isThere, ProcessTrees, type TreeReading, type TreeRoots } from "../../telemetry/process-tree.ts";
import type { Observations } from "../feed/observations.ts";
import type { Facts } from "../session/ports.ts";
import { type LaunchMeter, openMeter } from "./launch-meter.ts";
import { WorkspaceSizes } from "./workspace-sizes.ts";

/** A session that uses this much of a processor does something, also where it says nothing. */
const BUSY_PERCENT = 10;

interface Sampled {
  readonly session: Facts;
  launch: LaunchMeter | undefined;
  dueMs: number;
  lastMs: number;
  isTouched: boolean;
  lastWriteChars: number;
}

type Batch = Parameters<Observations["addSamples"]>[0][number];

export interface SamplerOptions {
  readonly context: Pick<Context, "store" | "now">;
  readonly observations: Pick<Observations, "addSamples">;
  readonly log: Logger;
  /** As the settings are now. */
  readonly config: () => Config;
}

interface Intervals {
  readonly active: number;
  readonly quiet: number;
  readonly workspace: number;
}

/**
 * Measures live sessions: those that do something often, quiet ones rarely. All that are due share one pass over /proc and
 * one batch of the store. Does nothing while no session lives.
 */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #sampled = new Map<Facts, Sampled>();
  readonly #trees = new ProcessTrees();
  readonly #sizes = new WorkspaceSizes();
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #isPassing = false;
  /** Read again with every pass. */
  #intervals: Intervals;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#intervals = intervalsOf(options.config());
  }

  /** Its processes are there. */
  begin(session: Facts): void {
    if (this.#sampled.has(session)) return;
    const sampled = {
      session,
      launch: undefined,
      dueMs: Number.POSITIVE_INFINITY,
      lastMs: Number.NEGATIVE_INFINITY,
      isTouched: false,
      lastWriteChars: 0,
    };
    this.#sampled.set(session, sampled);
    this.touch(session);
  }

  /** It did something. */
  touch(session: Facts): void {
    const sampled = this.#sampled.get(session);
    if (!sampled || sampled.isTouched) return;
    sampled.isTouched = true;
    const { active } = this.#intervals;
    const next = nextTick(active);
    // Soon after a sample there is little to average over.
    const dueMs = next - sampled.lastMs < active / 2 ? next + active : next;
    this.#due(sampled, Math.min(sampled.dueMs, dueMs));
  }

  forget(session: Facts): void {
    this.#sampled.delete(session);
    if (this.#sampled.size > 0) return;
    clearTimeout(this.#timer);
    this.#timerMs = Number.POSITIVE_INFINITY;
  }

  end(): void {
    for (const session of this.#sampled.keys()) this.forget(session);
    this.#sizes.end();
  }

  #due(sampled: Sampled, dueMs: number): void {
    sampled.dueMs = dueMs;
    if (this.#isPassing || dueMs >= this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = setTimeout(() => void this.#pass(), Math.max(0, dueMs - performance.now())).unref();
  }

  /** A failure is no reason to stop measuring. */
  async #pass(): Promise<void> {
    this.#timerMs = Number.POSITIVE_INFINITY;
    this.#isPassing = true;
    this.#intervals = intervalsOf(this.#options.config());
    const now = performance.now();
    const due = [...this.#sampled.values()].filter(({ dueMs }) => dueMs <= now + TOGETHER_MS);
    try {
      await this.#options.observations.addSamples(await this.#measure(due));
    } catch (error) {
      this.#options.log.warn({ err: error }, "sessions could not be measured");
      // A measurement that was not stored is made again, from what is stored.
      for (const sampled of due) sampled.launch = undefined;
    }
    this.#isPassing = false;
    for (const sampled of due) {
      const isBusy = sampled.isTouched;
      sampled.isTouched = false;
      sampled.dueMs = nextTick(isBusy ? this.#intervals.active : this.#intervals.quiet);
    }
    const next = Math.min(...this.#sampled.values().map(({ dueMs }) => dueMs));
    for (const sampled of this.#sampled.values()) if (sampled.dueMs === next) this.#due(sampled, next);
  }

  async #measure(due: readonly Sampled[]): Promise<Batch[]> {
    const { context } = this.#options;
    for (const sampled of due) {
      // Everything that it does from here on belongs to the next pass.
      sampled.isTouched = false;
      sampled.launch ??= await this.#open(sampled.session);
    }
    const known = due.filter(({ launch, session }) => launch && this.#sampled.has(session));
    if (known.length === 0) return [];
    const scan = scanProcesses();
    const readings = this.#trees.read(
      known.map((sampled) => rootsOf(sampled, scan)),
      scan,
    );
    const at = toInstant(context.now());
    const { workspace: everyMs } = this.#intervals;
    this.#sizes.keep(new Set(this.#sampled.values().map(({ launch }) => launch?.workspace ?? null)));
    return known.flatMap((sampled, index) => {
      const reading = readings[index];
      // A tree without a process is one that is just ending: nothing of it can be told any more.
      if (!reading || reading.processes === 0) return [];
      return [{ sessionId: sampled.session.id, sample: { at, ...this.#sample(sampled, reading, everyMs) } }];
    });
  }

  /** A session that cannot be measured does not keep the others from it. */
  async #open(session: Facts): Promise<LaunchMeter | undefined> {
    try {
      return await openMeter(session, this.#options.context);
    } catch (error) {
      this.#options.log.warn({ session: session.id, err: error }, "could not read the counters of a session");
      return undefined;
    }
  }

  #sample(sampled: Sampled, reading: TreeReading, everyMs: number): Omit<Batch["sample"], "at"> {
    const { meter, workspace } = sampled.launch as LaunchMeter;
    const nowMs = performance.now();
    const measured = meter.measure(reading, nowMs);
    const cpuPercent = measured.cpuPercent ?? 0;
    const writeChars = measured.ioWriteChars ?? 0;
    const hasMoved = cpuPercent > 0 || writeChars > sampled.lastWriteChars;
    sampled.lastMs = nowMs;
    sampled.lastWriteChars = writeChars;
    sampled.isTouched ||= cpuPercent >= BUSY_PERCENT;
    const size = workspace === null ? null : this.#sizes.sizeOf(workspace, { hasMoved, everyMs });
    return { ...measured, workspaceBytesUsed: size };
  }
}

function intervalsOf(config: Config): Intervals {
  return {
    active: durationOf(config, "samples.active"),
    quiet: durationOf(config, "samples.quiet"),
    workspace: durationOf(config, "samples.workspace"),
  };
}

/** Timers fire a moment early or late. */
const TOGETHER_MS = 20;

/** The next beat of an interval, which is the same for all sessions, so that they share a pass. */
function nextTick(intervalMs: number): number {
  return (Math.floor((performance.now() + TOGETHER_MS) / intervalMs) + 1) * intervalMs;
}

/** Below guard and holder is everything, as long as one of them lives; afterwards what was known then. */
function rootsOf({ session, launch }: Sampled, scan: ReadonlyMap<number, ScannedProcess>): TreeRoots {
  const { guard, holder, agent } = (launch as LaunchMeter).holderFile;
  const carriers = [guard, holder];
  const isCarried = carriers.some((carrier) => isThere(carrier, scan));
  const members = isCarried ? [agent] : [agent, ...(readTree(session.folder)?.members ?? [])];
  return { marker: session.carrying.launch.marker, carriers, members };
}
