import { machineIdOf } from "../home/machine-id.ts";
import type { Services } from "./services.ts";

/** Says in the store which machine writes it. Sessions are carried without that, too, as on a full disk. */
export async function claimLog({
  context,
  places,
  log,
}: Pick<Services, "context" | "places" | "log">): Promise<void> {
  try {
    await context.store.claim(machineIdOf(places.home));
  } catch (error) {
    log.warn({ err: error }, "the machine id could not be noted in the store");
  }
}
