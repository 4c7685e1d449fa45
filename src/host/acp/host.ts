import type { Host } from "../host-facts.ts";

/** Standard streams that carry the Agent Client Protocol: nothing but lines of it may be written to them. */
export const acp: Host = {
  name: "acp",
  hasScreen: false,
  canCloseInput: true,
  encodeText: (text) => [`${text}\n`],
};
