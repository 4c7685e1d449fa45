import type { ResumePolicy } from "../domain/session/resume.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { type Config, loadConfig, resumePolicyOf } from "../home/settings.ts";
import { workspaceOf } from "../machine/workspace.ts";
import type { Services } from "./services.ts";

/**
 * The settings as they are now, with those of the project around a folder. What lives goes on whatever becomes of
 * them: without the project's where these cannot be read, and by those of the daemon's start without the user's own.
 */
export function configNow(
  { places, context, log }: Pick<Services, "places" | "context" | "log">,
  cwd: string,
): Config {
  for (const workspace of [workspaceOf(cwd), undefined]) {
    try {
      return loadConfig(places.home, workspace).config;
    } catch (error) {
      log.warn({ err: error }, "settings cannot be read; those without them count");
    }
  }
  return context.config;
}

/** The verdict is the same whoever is asked for it. */
export function resumePolicyNow(services: Services, { carried, workspacePath }: SessionRow): ResumePolicy {
  return resumePolicyOf(configNow(services, carried?.launch.cwd ?? workspacePath ?? services.places.home));
}
