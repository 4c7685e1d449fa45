import { type Config, loadConfig } from "../record/config.ts";
import { workspaceOf } from "../record/workspace.ts";
import type { Services } from "./services.ts";

/** The settings as they are now, with those of the project around a folder. A file that cannot be read changes nothing. */
export function configNow({ places, context, log }: Services, cwd: string): Config {
  try {
    return loadConfig(places.home, workspaceOf(cwd)).config;
  } catch (error) {
    log.warn({ err: error }, "the settings cannot be read; those of the start count");
    return context.config;
  }
}
