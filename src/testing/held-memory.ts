import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How many bytes the made value holds on to, after everything that nobody needs was collected. */
export function heldBytes(make: () => unknown): number {
  const before = usedBytes();
  const kept = make();
  const after = usedBytes();
  // Still needed here, so that it is not collected before.
  return kept === undefined ? 0 : after - before;
}

function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The room of buffers is given back beside the first one.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
