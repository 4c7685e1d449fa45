import { setTimeout as sleep } from "node:timers/promises";
import { RollcallError } from "../../domain/errors.ts";
import { launchFolder } from "../../home/launch-folder.ts";
import { endByFile } from "../../host/holder.ts";
import { findExitFile } from "../../host/holder-files.ts";
import { markedProcesses } from "../../machine/marked-process.ts";
import { isHeld } from "../doctor/orphans.ts";

const GRACE_MS = 10_000;
/** Beyond the grace: killing, and the proof. */
const PROOF_MS = 5000;
const LOOK_MS = 20;

/**
 * Ends launches by their holders alone: without a store that can be read there is no daemon to ask, and nothing to record it
 * in. Throws `not_proven` where a holder did not prove the end in time.
 */
export async function endLaunches(home: string, markers: readonly string[]): Promise<void> {
  const folders = markers.map((marker) => launchFolder(home, marker));
  await Promise.all(folders.map((folder) => endByFile(folder, GRACE_MS)));
  const lastMs = performance.now() + GRACE_MS + PROOF_MS;
  while (folders.some(isHeld) && performance.now() < lastMs) await sleep(LOOK_MS);
  if (folders.every((folder) => findExitFile(folder)?.tree.state === "empty")) return;
  const left = markedProcesses(home).filter(({ marker }) => markers.includes(marker));
  const which =
    left.length === 0 ? "no process is known to be left" : `pids ${left.map(({ pid }) => pid).join(", ")}`;
  throw new RollcallError(
    "not_proven",
    `The end of what runs cannot be proven (${which}); nothing was restored.`,
    {
      hint: "Look at them, end them with `kill`, and restore again.",
    },
  );
}
