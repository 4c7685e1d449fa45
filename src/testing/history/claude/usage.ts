import { UNPRICED_MODEL } from "../cost.ts";
import type { RequestTruth } from "../truth.ts";
import type { World } from "../world.ts";

const MODELS = ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-opus-4-6", "claude-opus-4-8"];
const FAST = ["claude-opus-4-6", "claude-opus-4-8", "chosen-model"];

/** A request with chosen figures, at this moment. */
export function newRequest(world: World): RequestTruth {
  const { random } = world;
  const model = pickModel(world);
  const writes = world.lay("claude: cache writes", 0.5) ? random.int(30_000) : 0;
  const isLong = world.lay("claude: long context", 0.06);
  const output = 2 + random.int(3000);
  return {
    model,
    at: world.now,
    input: random.int(500),
    output,
    cacheRead: isLong ? 195_000 + random.int(20_000) : random.int(60_000),
    cacheWrite: writes,
    cacheWriteHour: writes > 0 && world.lay("claude: cache writes for an hour", 0.4) ? random.int(writes) : 0,
    reasoning: world.lay("claude: thinking tokens", 0.4) ? random.int(output) : null,
    webSearches: world.lay("claude: web searches", 0.1) ? 1 + random.int(4) : 0,
    isFast: FAST.includes(model) && world.lay("claude: fast mode", 0.2),
    reportedNanoUsd: world.lay("claude: costUSD", 0.04) ? (1 + random.int(1000)) * 1_000_000 : null,
  };
}

function pickModel(world: World): string {
  if (world.lay("claude: chosen prices", 0.2)) return "chosen-model";
  if (world.lay("claude: unpriced model", 0.05)) return UNPRICED_MODEL;
  return world.random.pick([...MODELS, "claude-haiku-4-5"]);
}

/** The `usage` of one block; the output so far may be less than that of the request. */
export function usageRecord(world: World, request: RequestTruth, output: number): Record<string, unknown> {
  const { cacheWrite, cacheWriteHour, webSearches } = request;
  const minutes = cacheWrite - cacheWriteHour;
  const isPlain = cacheWriteHour === 0 && world.lay("claude: cache writes without kinds", 0.2);
  const isFlatZero = !isPlain && cacheWrite > 0 && world.lay("claude: flat cache writes are 0", 0.2);
  return {
    input_tokens: request.input,
    cache_creation_input_tokens: isFlatZero ? 0 : cacheWrite,
    cache_read_input_tokens: request.cacheRead,
    ...(isPlain
      ? {}
      : {
          cache_creation: { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: cacheWriteHour },
        }),
    output_tokens: output,
    ...(request.reasoning === null
      ? {}
      : { output_tokens_details: { thinking_tokens: Math.min(output, request.reasoning) } }),
    ...(webSearches > 0 || world.random.chance(0.5)
      ? { server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 } }
      : {}),
    service_tier: "standard",
    ...(request.isFast ? { speed: "fast" } : world.random.chance(0.5) ? { speed: "standard" } : {}),
  };
}
