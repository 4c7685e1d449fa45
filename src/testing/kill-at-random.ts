import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/** How long the work of these scripts takes at most on a slow machine; the moment of the kill lies within. */
const SPAN_MS = 40;

/** Runs a module that prints `ready` before its work, and kills it with SIGKILL at a share of that work. */
export async function killAtRandom(script: string, share: number): Promise<void> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  for await (const line of createInterface(child.stdout)) if (line === "ready") break;
  // The one wait that is no event: the moment has to be arbitrary.
  await delay(SPAN_MS * share);
  child.kill("SIGKILL");
  await closed;
}
