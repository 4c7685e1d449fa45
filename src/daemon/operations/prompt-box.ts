import { setTimeout as sleep } from "node:timers/promises";
import type { Facts, HolderPort, ScreenPort } from "../session/ports.ts";

/** An agent draws what it makes of a key a moment later: one that was interrupted puts its text back into the box. */
const REST_MS = 400;
const STEP_MS = 100;
const MOST_TRIES = 30;
/** A text that does not go away by then is none, but something that the agent shows in its box. */
const MOST_IN_VAIN = 10;

/** Takes out what stands in the prompt box: it would be sent together with the text that is typed next. */
export async function emptyPromptBox(session: Facts & HolderPort & ScreenPort): Promise<void> {
  const { emptyBox } = session.carrying.mode.controls;
  if (!emptyBox) return;
  let before: string | undefined;
  for (let tries = 0, inVain = 0; tries < MOST_TRIES && inVain < MOST_IN_VAIN; tries++) {
    const status = await session.holder.status();
    const restMs = REST_MS - (status?.lastInputMsAgo ?? REST_MS);
    const screen = (await session.screen.now())?.text() ?? "";
    const keys = emptyBox(screen);
    if (keys === undefined && restMs <= 0) return;
    inVain = keys !== undefined && screen === before ? inVain + 1 : 0;
    before = screen;
    if (keys !== undefined) session.holder.connection?.input(keys);
    await sleep(keys === undefined ? restMs : STEP_MS);
  }
}
