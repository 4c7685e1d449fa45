import type { SessionRecord } from "../domain/session/session.ts";
import { terminalOf } from "../machine/process.ts";
import { isOutside, type Terminals } from "../present/session-cells.ts";

/** The terminals in which sessions outside run, by id, as far as they can be seen from here. */
export function terminalsOf(sessions: readonly SessionRecord[]): Terminals {
  return new Map(
    sessions.filter(isOutside).flatMap(({ id, process }) => {
      const terminal = process === null ? undefined : terminalOf(process);
      return terminal === undefined ? [] : [[id, terminal]];
    }),
  );
}
