import { expect, test } from "vitest";
import { AGENT_TYPES } from "../domain/session/session.ts";
import { HOOKED_TYPES, loadHooks } from "./hook-registry.ts";
import { hooksContract } from "./hooks.contract.ts";
import { findAgent } from "./registry.ts";

const HOOKED = AGENT_TYPES.flatMap((type) => {
  const hooks = findAgent(type)?.hooks;
  return hooks ? [{ type, hooks }] : [];
});

for (const { type, hooks } of HOOKED) hooksContract(type, hooks);

test("the hooks that can be loaded alone are those of the adapters", async () => {
  expect(HOOKED_TYPES).toEqual(HOOKED.map(({ type }) => type));
  for (const { type, hooks } of HOOKED) expect(await loadHooks(type)).toBe(hooks);
});

test.each(["codex", "nobody", "__proto__", ""])("there are no hooks to load for %j", async (type) => {
  expect(await loadHooks(type)).toBeUndefined();
});
