import { fromWire } from "../domain/wire.ts";
import type { Frame } from "./frames.ts";
import type { HolderExit } from "./holder-files.ts";

export const STREAMS = ["out", "err"] as const;
/** A terminal has only `out`. */
export type Stream = (typeof STREAMS)[number];

/** The keys and values of an OSC 7501 report as the agent sent them: `msg` and `title` are base64. */
export type ReportFields = Readonly<Record<string, string>>;

export interface Report {
  readonly fields: ReportFields;
  readonly at: string;
  /** The offset in `out` behind the report. */
  readonly offset: number;
}

export interface SpoolRange {
  readonly low: number;
  readonly high: number;
  /** Bytes lost because nobody took them in time. */
  readonly dropped: number;
}

export interface HolderStatus {
  readonly type: "status";
  /** The number of the connection that asked, as in `typist`. */
  readonly you: number;
  readonly host: "pty" | "pipe" | "acp";
  readonly agent: { readonly alive: boolean; readonly pid: number };
  readonly cols: number;
  readonly rows: number;
  readonly typist: number | null;
  readonly viewers: number;
  readonly lastInputMsAgo: number | null;
  readonly lastOutputMsAgo: number | null;
  /** Bytes that the agent has not taken yet. */
  readonly inputPending: number;
  readonly out: SpoolRange;
  readonly err: SpoolRange;
  /** The last report of the agent itself, and of each of its helpers by their `id`. */
  readonly reports: { readonly main: Report | null; readonly byId: Readonly<Record<string, Report>> };
  readonly title: string | null;
  /** A pause was asked for and neither continued nor ended; the message `paused` says when it is complete. */
  readonly paused: boolean;
  readonly ending: boolean;
  readonly exit: HolderExit | null;
}

export type HolderMessage =
  | { readonly type: "output"; readonly stream: Stream; readonly offset: number; readonly bytes: Buffer }
  | HolderStatus
  | { readonly type: "report"; readonly fields: ReportFields; readonly offset: number }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "bell"; readonly offset: number }
  | {
      readonly type: "attached" | "detached";
      readonly client: number;
      readonly types: boolean;
      readonly viewers: number;
    }
  | { readonly type: "typist"; readonly typist: number | null; readonly cols: number; readonly rows: number }
  | { readonly type: "resized"; readonly cols: number; readonly rows: number }
  | { readonly type: "dropped"; readonly stream: Stream; readonly low: number; readonly dropped: number }
  /** The whole tree is stopped, but for `missed` processes that could not be; or it goes on. */
  | { readonly type: "paused"; readonly paused: boolean; readonly missed: number }
  /** The agent is gone; its tree may not be. */
  | { readonly type: "exit"; readonly exit: HolderExit }
  /** The tree is blocked, or proven empty: then this is the last message, and all output came before it. */
  | { readonly type: "tree"; readonly exit: HolderExit }
  | { readonly type: "refused"; readonly frame: string; readonly reason: string };

const OFFSET_BYTES = 8;

export function readMessage({ type, payload }: Frame): HolderMessage {
  if (type === "O") return readOutput("out", payload);
  if (type === "X") return readOutput("err", payload);
  if (type === "J") return readEvent(JSON.parse(payload.toString()) as { type: string });
  throw new Error(`A holder never sends a frame of type ${JSON.stringify(type)}.`);
}

function readOutput(stream: Stream, payload: Buffer): HolderMessage {
  const offset = Number(payload.readBigUInt64LE(0));
  return { type: "output", stream, offset, bytes: payload.subarray(OFFSET_BYTES) };
}

function readEvent(event: { readonly type: string }): HolderMessage {
  if (event.type !== "status") return event as HolderMessage;
  // The names inside the reports are the agent's.
  const { reports, ...rest } = event as unknown as WireStatus;
  const own = fromWire(rest) as Omit<HolderStatus, "reports">;
  return { ...own, reports: { main: reports.main, byId: reports.by_id } };
}

interface WireStatus {
  readonly reports: { readonly main: Report | null; readonly by_id: Readonly<Record<string, Report>> };
}
