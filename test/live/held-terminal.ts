import { closeSync, constants, openSync } from "node:fs";
import type { Shown } from "../cli/rollcall.ts";

/** While someone else has its terminal open, the proof comes later than the moment of which `end.proof` tells. */
export function holdTerminal(session: Shown): Disposable {
  const { pid } = session.process as { pid: number };
  const fd = openSync(`/proc/${pid}/fd/0`, constants.O_RDWR | constants.O_NOCTTY);
  return { [Symbol.dispose]: () => closeSync(fd) };
}
