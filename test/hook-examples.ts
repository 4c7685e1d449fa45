import { testHook } from "../src/cli/hook-test.ts";
import type { Output } from "../src/cli/output.ts";
import { toWire } from "../src/index.ts";

/** What a hook takes and answers in its own examples. */
export async function hookExamples(name: string): Promise<{ input: unknown; output: unknown }[]> {
  let said: unknown;
  await testHook(name, { json: (value: unknown) => (said = toWire(value)) } as unknown as Output);
  const { results } = said as { results: { input: unknown; output: unknown }[] };
  return results;
}
