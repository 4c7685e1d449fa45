import type { Logger } from "pino";
import type { ScreenCache } from "../host/screen-cache.ts";
import type { Turns } from "../host/turns.ts";
import type { Context } from "../record/context.ts";
import type { Rollcall } from "../record/rollcall.ts";
import type { Leftovers } from "./leftovers.ts";
import type { Places } from "./places.ts";

/** What every part of the daemon works with. */
export interface Services {
  readonly rollcall: Rollcall;
  readonly context: Context;
  readonly places: Places;
  readonly log: Logger;
  readonly screens: ScreenCache;
  /** Of snapshots, which can wait: who asks for a screen does not stand behind them. */
  readonly snapshots: Turns;
  readonly leftovers: Leftovers;
  readonly programs: Programs;
  readonly version: string;
}

/** The programs that come with Rollcall. */
export interface Programs {
  readonly node: string;
  readonly holder: string;
  readonly cli: string;
  readonly scripted: string;
}
