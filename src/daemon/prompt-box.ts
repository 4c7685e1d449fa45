import { setTimeout as sleep } from "node:timers/promises";
import type { LiveSession } from "./live-session.ts";

/** An agent draws what it makes of a key a moment later: one that was interrupted puts its text back into the box. */
const REST_MS = 400;
const STEP_MS = 100;
const MOST_TRIES = 30;

/** Takes out what stands in the prompt box: it would be sent together with the text that is typed next. */
export async function emptyPromptBox(session: LiveSession): Promise<void> {
  const { emptyBox } = session.carrying.agent.controls;
  if (!emptyBox || session.carrying.launch.host !== "pty") return;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const status = await session.follower.status();
    const restMs = REST_MS - (status?.lastInputMsAgo ?? REST_MS);
    const keys = emptyBox((await session.screen.now())?.text() ?? "");
    if (keys === undefined && restMs <= 0) return;
    if (keys !== undefined) session.follower.connection?.input(keys);
    await sleep(keys === undefined ? restMs : STEP_MS);
  }
}
