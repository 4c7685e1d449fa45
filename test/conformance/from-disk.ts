import { join } from "node:path";
import { expect } from "vitest";
import type { RunOptions, Shown } from "../cli/rollcall.ts";
import type { Lab } from "./lab.ts";

/**
 * An import into an empty state folder counts for each session what the live one has counted, and nothing else. Turns of
 * `restless` ones are left out: their program may rest for a moment between the end of a helper and its news.
 */
export async function expectSameFromDisk(lab: Lab, restless: readonly string[] = []): Promise<void> {
  const env = { ROLLCALL_HOME: join(lab.place.root, "state-from-disk") };
  const { broken, failed } = (await lab.ok(["import", "--json"], { env })).json;
  expect({ broken, failed }).toEqual({ broken: 0, failed: [] });
  expect(await countsOf(lab, restless, { env })).toEqual(await countsOf(lab, restless));
}

/** By native id, for a record has another id there. */
async function countsOf(
  lab: Lab,
  restless: readonly string[],
  options?: RunOptions,
): Promise<Record<string, unknown>> {
  const { sessions } = (await lab.ok(["list", "--limit", "all", "--json"], options)).json;
  const counted = await Promise.all(
    sessions.map(async ({ id }) => {
      const shown: Shown = (await lab.ok(["get", id, "--json"], options)).json;
      const nativeId = String(shown.native_id);
      const isRestless = restless.includes(nativeId);
      const usages = [shown.usage, shown.usage_with_children].map((usage) =>
        isRestless ? { ...(usage as object), turns: null } : usage,
      );
      return [nativeId, usages] as const;
    }),
  );
  return Object.fromEntries(counted);
}
