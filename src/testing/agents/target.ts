import type { Target } from "../../agents/deed.ts";

/** A session of which nothing is known yet. */
export const TARGET: Target<Record<string, never>> = { nativeId: null, memory: {} };
