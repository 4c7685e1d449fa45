import { markerOf } from "../machine/proc.ts";
import { readProcess } from "../machine/process.ts";
import { launchFolder, sessionOfLaunch } from "./launch-folder.ts";

/**
 * The session that a process runs in: by its own marker, or by that of a process above it where it has emptied its
 * environment. Null outside of sessions.
 */
export function sessionAround(home: string, pid: number): string | null {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = readProcess(at)?.parent) {
    const marker = markerOf(at);
    const session = marker === undefined ? undefined : sessionOfLaunch(launchFolder(home, marker));
    if (session !== undefined) return session;
  }
  return null;
}
