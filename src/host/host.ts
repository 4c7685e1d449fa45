import type { HostName } from "../domain/session/carried.ts";
import { pipe } from "./pipe/host.ts";
import { pty } from "./pty/host.ts";

/** What carries an agent's process, as far as one differs from the other; a holder does the carrying for both. */
export interface Host {
  readonly name: HostName;
  readonly hasScreen: boolean;
  /** Whether an end of input can be told without ending the agent. */
  readonly canCloseInput: boolean;
  /** The pieces that a person's text becomes, each written whole and in order. */
  encodeText(text: string, modes: { readonly bracketedPaste: boolean }): readonly string[];
}

export function hostOf(name: HostName): Host {
  return { pty, pipe }[name];
}
