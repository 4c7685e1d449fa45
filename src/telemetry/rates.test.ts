import fc from "fast-check";
import { expect, test } from "vitest";
import { priceIn, Rates } from "./rates.ts";

const MODELS = [
  ...["claude-opus-5", "claude-opus-4-6", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-3-5-haiku-latest"],
  ...["gpt-5.6-sol", "gpt-5.4", "gpt-5-codex", "gpt-4o", "o3", "gemini-2.5-pro", "gemini-3.1-pro-preview"],
  ...["deepseek-chat", "grok-4", "mistral-large-latest", "nobody-knows"],
];
const tokens = fc.record({
  own: fc.nat(400_000),
  output: fc.nat(100_000),
  cacheRead: fc.oneof(fc.constant(0), fc.nat(400_000)),
  cacheWrite: fc.oneof(fc.constant(0), fc.nat(100_000)),
  hour: fc.nat(100),
});
const times = fc
  .integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2026, 11, 1) })
  .map((ms) => new Date(ms).toISOString());

test("the rates of a day give the price of the table to the last bit", () => {
  const rates = new Rates();
  fc.assert(
    fc.property(
      fc.constantFrom(...MODELS),
      times,
      tokens,
      (model, at, { own, output, cacheRead, ...writes }) => {
        const { cacheWrite, hour } = writes;
        const cacheWriteHour = Math.floor((cacheWrite * hour) / 100);
        const asked = { model, at, provider: undefined };
        const input = own + cacheRead + cacheWrite;
        const usage = {
          ...{ input_tokens: input, output_tokens: output },
          ...(cacheRead === 0 ? {} : { cache_read_tokens: cacheRead }),
          ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
          ...(cacheWriteHour === 0 ? {} : { cache_write_1h_tokens: cacheWriteHour }),
        };
        const used = { input, output, cacheRead, cacheWrite, cacheWriteHour };
        expect(rates.usdFor(used, asked)).toBe(priceIn(usage, asked)?.total_price);
      },
    ),
    { numRuns: 3000 },
  );
});
