import { closeTmuxView } from "../../host/tmux-view.ts";
import { faultPoint } from "../fault-point.ts";
import { followKept, isHeld, removeLaunch } from "../operations/kept-children.ts";
import type { LiveSession } from "../session/live-session.ts";
import { holderGone } from "../session/traces.ts";

/** Keeps the rest of what a launch said that is over, and takes its files away. */
export async function cleanUp(session: LiveSession): Promise<void> {
  const { services, carrying, folder, follower } = session;
  try {
    faultPoint("end.recorded");
    await follower.finish();
    await services.context.files.settle(session.id);
    await services.screens.drop(folder);
    await holderGone(folder);
    await closeView(session);
    faultPoint("end.kept");
    // A holder that watches over what was to be kept is still told through it.
    const { marker, keepsChildren } = carrying.launch;
    if (keepsChildren && isHeld(folder)) void followKept(services, marker);
    else removeLaunch(services.places, marker);
    faultPoint("end.removed");
  } catch (error) {
    services.log.error({ session: session.id, err: error }, "could not clean up");
  }
}

/** One that could not be opened, as where tmux is missing, cannot be closed: that keeps nothing else from going. */
async function closeView({ services: { log, places }, carrying, id }: LiveSession): Promise<void> {
  if (carrying.launch.view !== "tmux") return;
  const closing = closeTmuxView({ socketDir: places.run, sessionId: id });
  await closing.catch((err: unknown) => log.warn({ session: id, err }, "could not close its tmux view"));
}
