import type { HostName } from "../domain/session/carried.ts";

/** The facts in which hosts differ; a holder carries the process for all of them. */
export interface Host {
  readonly name: HostName;
  readonly hasScreen: boolean;
  /** Whether an end of input can be told without ending the agent. */
  readonly canCloseInput: boolean;
  /** The pieces that a person's text becomes, each written whole and in order. */
  encodeText(text: string, modes: { readonly bracketedPaste: boolean }): readonly string[];
}
