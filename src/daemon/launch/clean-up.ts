import { closeTmuxView } from "../../host/tmux-view.ts";
import { faultPoint } from "../fault-point.ts";
import { followKept, isHeld, removeLaunch } from "../operations/kept-children.ts";
import type { Services } from "../services.ts";
import type { Aim, Facts } from "../session/ports.ts";
import { holderGone } from "../session/traces.ts";
import { conversationOf, keepTranscript } from "./kept-transcript.ts";

interface Closing extends Facts, Aim {
  readonly holder: { finish(): Promise<void> };
}

/** Keeps the rest of what a launch said that is over, and takes its files away. */
export async function cleanUp(services: Services, session: Closing): Promise<void> {
  const { carrying, folder, holder } = session;
  try {
    faultPoint("end.recorded");
    await holder.finish();
    keepTranscript(conversationOf(services, session));
    await services.context.files.settle(session.id);
    await services.screens.drop(folder);
    await holderGone(folder);
    await closeView(services, session);
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
async function closeView({ log, places }: Services, { carrying, id }: Facts): Promise<void> {
  if (carrying.launch.view !== "tmux") return;
  const closing = closeTmuxView({ socketDir: places.run, sessionId: id });
  await closing.catch((err: unknown) => log.warn({ session: id, err }, "could not close its tmux view"));
}
