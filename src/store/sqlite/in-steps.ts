import { setTimeout as sleep } from "node:timers/promises";

/** Works until a step says that it was the last, with a pause as long as each, so that whoever waits for the lock has it. */
export async function inSteps(step: () => Promise<"more" | "done">): Promise<void> {
  for (;;) {
    const began = performance.now();
    if ((await step()) === "done") return;
    await sleep(performance.now() - began);
  }
}
