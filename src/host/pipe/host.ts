import type { Host } from "../host-facts.ts";

/** Plain pipes: text is a line. */
export const pipe: Host = {
  name: "pipe",
  hasScreen: false,
  canCloseInput: true,
  encodeText: (text) => [`${text}\n`],
};
