import type { Logger } from "pino";
import type { ScreenCache } from "../host/screen-cache.ts";
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
