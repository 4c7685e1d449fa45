import type { Logger } from "pino";
import type { ScreenCache } from "../host/screen-cache.ts";
import type { SerialQueue } from "../machine/serial-queue.ts";
import type { Context } from "../record/context.ts";
import type { Rollcall } from "../record/rollcall.ts";
import type { EventHub } from "./feed/event-hub.ts";
import type { Observations } from "./feed/observations.ts";
import type { OutputSlices } from "./intake/output-slices.ts";
import type { Places } from "./places.ts";
import type { Pricing } from "./pricing.ts";
import type { Sampler } from "./samples/sampler.ts";
import type { Leftovers } from "./session/leftovers.ts";
import type { TreeWatch } from "./session/tree-watch.ts";

/** Shared by every part of the daemon. */
export interface Services {
  readonly rollcall: Rollcall;
  readonly context: Context;
  readonly places: Places;
  readonly log: Logger;
  readonly hub: EventHub;
  readonly observations: Observations;
  readonly screens: ScreenCache;
  /** Serialises the writing of snapshots, so that it never delays a screen that somebody asks for. */
  readonly snapshots: SerialQueue;
  readonly leftovers: Leftovers;
  readonly trees: TreeWatch;
  readonly sampler: Sampler;
  readonly slices: OutputSlices;
  readonly pricing: Pricing;
  readonly programs: Programs;
  readonly version: string;
}

/** The programs that come with Rollcall. */
export interface Programs {
  readonly node: string;
  readonly holder: string;
  readonly cli: string;
  readonly scripted: string;
  /** Run in a process of its own, beside the daemon. */
  readonly importer: string;
}
