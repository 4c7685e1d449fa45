import type { SessionRow } from "../../domain/session/session.ts";
import type { HolderMessage, ReportFields } from "../../host/holder-message.ts";

/** Keeps the bytes of a session: as a recording of its terminal, or as the transcript of its pipes. */
export interface Output {
  /** The offset to go on at in each stream. */
  readonly from: { readonly out: number; readonly err: number };
  take(message: Extract<HolderMessage, { type: "output" }>): Promise<void> | void;
  /** The terminal has this size from here on. */
  resize?(cols: number, rows: number): void;
  /** Reports of the agent's state that stand behind this place of the output, as far as it was read. */
  reportsAfter?(offset: number): readonly ReportFields[];
  /** The session is in another state, or asks for something else. */
  show?(row: SessionRow): void;
  /** It is over: everything that came is kept. */
  finish(): Promise<void>;
  /** It goes on without us: what is whole is kept, the holder has the rest. */
  letGo(): Promise<void>;
}
