import type { Output } from "../src/cli/framework/output.ts";
import { testHook } from "../src/cli/hooks/hook-test.ts";
import { toWire } from "../src/index.ts";

/** What a hook takes and answers in its own examples, in our form or in that of the agent that calls it. */
export async function hookExamples(
  name: string,
  from?: string,
): Promise<{ input: unknown; output: unknown }[]> {
  let said: unknown;
  const output = {
    json: (value: unknown) => (said = toWire(value)),
    text: (text: string) => (said = JSON.parse(text)),
  };
  await testHook(name, output as unknown as Output, from);
  const { results } = said as { results: { input: unknown; output: unknown }[] };
  return results;
}
