import type { Host } from "../host-facts.ts";

/** A terminal: text is typed, and Enter is a key of its own. */
export const pty: Host = {
  name: "pty",
  hasScreen: true,
  canCloseInput: false,
  encodeText(text, { bracketedPaste }) {
    const isLong = text.includes("\n") || text.includes("\t");
    // Pasted as one piece: line ends and tabs stay text instead of being keys.
    if (isLong && bracketedPaste) return [`\u001b[200~${text}\u001b[201~`, "\r"];
    return [text.replaceAll("\n", "\r"), "\r"];
  },
};
