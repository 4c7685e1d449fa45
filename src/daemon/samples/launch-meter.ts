import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Resources } from "../../domain/session/session.ts";
import { LAUNCH_FILES } from "../../home/launch-folder.ts";
import { findHolderFile, type HolderFile } from "../../host/holder-files.ts";
import { ageMsOf } from "../../machine/proc.ts";
import type { Context } from "../../record/context.ts";
import { Meter } from "../../telemetry/meter.ts";
import type { IoCounters } from "../../telemetry/process-scan.ts";

/** The counters of a session as they were before one of its launches. */
interface CountersBefore {
  readonly samples: number;
  readonly cpuPercentMs: number;
  readonly io: IoCounters;
}

export interface LaunchMeter {
  readonly meter: Meter;
  readonly holderFile: HolderFile;
  readonly workspace: string | null;
}

/**
 * The meter of a launch, which goes on from what is stored: neither another daemon nor another launch counts anything
 * twice or leaves the time in between out. Undefined before the launch, and for a session without a record.
 */
export async function openMeter(
  session: { readonly id: string; readonly folder: string },
  { store, now }: Pick<Context, "store" | "now">,
): Promise<LaunchMeter | undefined> {
  const holderFile = findHolderFile(session.folder);
  const stored = await store.find(session.id);
  if (!holderFile || !stored) return undefined;
  const { resources } = stored.observed;
  const sums = await store.sampleSums(session.id);
  const { samples, cpuPercentMs } = sums;
  const before =
    readBefore(session.folder) ?? writeBefore(session.folder, { samples, cpuPercentMs, io: ioOf(resources) });
  const ageMs = ageMsOf({ ...holderFile.agent, bootId: holderFile.bootId });
  const isSampled = samples > before.samples && resources.sampledAt !== null;
  const sinceMs = isSampled ? Math.max(0, now() - Date.parse(resources.sampledAt ?? "")) : ageMs;
  const countedCpuMs = (cpuPercentMs - before.cpuPercentMs) / 100;
  const meter = new Meter({ sinceMs, countedCpuMs, ioBefore: before.io }, performance.now());
  return { meter, holderFile, workspace: stored.row.workspacePath };
}

function ioOf(resources: Resources): IoCounters {
  return {
    readChars: resources.ioReadChars ?? 0,
    writeChars: resources.ioWriteChars ?? 0,
    readBytes: resources.ioReadBytes ?? 0,
    writeBytes: resources.ioWriteBytes ?? 0,
  };
}

function readBefore(folder: string): CountersBefore | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, LAUNCH_FILES.counters), "utf8")) as CountersBefore;
  } catch {
    return undefined;
  }
}

function writeBefore(folder: string, before: CountersBefore): CountersBefore {
  writeFileSync(join(folder, LAUNCH_FILES.counters), JSON.stringify(before), { mode: 0o600 });
  return before;
}
