import { openRollcall } from "./open.ts";
import type { Rollcall } from "./rollcall.ts";

let opened: Promise<Rollcall> | undefined;

/** The user's own store, opened once for this process. It holds nothing that would keep the process alive. */
export function defaultRollcall(): Promise<Rollcall> {
  opened ??= openRollcall().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}
