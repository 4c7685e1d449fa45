import { setTimeout as sleep } from "node:timers/promises";
import { isLive } from "../../domain/session/state.ts";
import { toInstant } from "../../domain/time.ts";
import { toWire } from "../../domain/wire.ts";
import { recordingFolder } from "../../home/layout.ts";
import { RenderedLog } from "../../host/rendered-log.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { RecordingReader } from "../../recording/recording-reader.ts";
import { isStateMark } from "../../recording/recording-segments.ts";
import { interrupted } from "../framework/interrupted.ts";
import type { Output } from "../framework/output.ts";

/** How far each kind of log was printed. */
interface Printed {
  readonly recording: RecordingReader;
  readonly terminal: RenderedLog;
  hasTerminal: boolean;
  seq: number;
}

function nothingPrinted(rollcall: Rollcall, id: string): Printed {
  const recording = new RecordingReader(recordingFolder(rollcall.context.home, id));
  return { recording, terminal: new RenderedLog(), hasTerminal: false, seq: 0 };
}

export async function printLogs(
  rollcall: Rollcall,
  output: Output,
  id: string,
  { printed = nothingPrinted(rollcall, id), isOver = true }: { printed?: Printed; isOver?: boolean } = {},
): Promise<void> {
  printRecording(output, printed, isOver);
  await printEntries(rollcall, output, id, printed);
}

/** Until the session ends, or someone presses Ctrl-C. */
export async function followLogs(rollcall: Rollcall, output: Output, id: string): Promise<void> {
  const printed = nothingPrinted(rollcall, id);
  const signal = interrupted();
  while (!signal.aborted) {
    const { state } = await rollcall.get(id);
    await printLogs(rollcall, output, id, { printed, isOver: !isLive(state) });
    if (!isLive(state)) return;
    await sleep(FOLLOW_MS, undefined, { signal }).catch(() => {});
  }
}

/** The terminal's bytes are no events; they are looked at as often as a person can read. */
const FOLLOW_MS = 200;

/** As a person saw it: what was drawn over is not shown, and no sequence is. */
function printRecording(output: Output, printed: Printed, isOver: boolean): void {
  const { recording, terminal } = printed;
  const print = (lines: readonly string[]) => {
    for (const line of lines) output.text(`${line}\n`);
  };
  for (const [seconds, kind, text] of recording.next()) {
    printed.hasTerminal = true;
    if (output.isJson) output.text(`${JSON.stringify({ at: toInstant(seconds * 1000), kind, text })}\n`);
    else if (kind === "o") print(terminal.write(text));
    else if (kind === "r") resize(terminal, text);
    else if (!isStateMark(text)) print([...terminal.show({ isOver: true }), `[${text}]`]);
  }
  if (!output.isJson) print(terminal.show({ isOver }));
}

function resize(terminal: RenderedLog, text: string): void {
  const [cols = 0, rows = 0] = text.split("x").map(Number);
  if (cols > 0 && rows > 0) terminal.resize({ cols, rows });
}

/** Prints the transcript, which is the output of a session without a terminal. */
async function printEntries(rollcall: Rollcall, output: Output, id: string, printed: Printed): Promise<void> {
  if (printed.hasTerminal) return;
  for await (const entry of rollcall.entries(id, { after: printed.seq })) {
    printed.seq = entry.seq;
    if (output.isJson) output.text(`${JSON.stringify(toWire(entry))}\n`);
    else if (entry.role === "assistant" && entry.text !== null)
      output.text(entry.text.endsWith("\n") ? entry.text : `${entry.text}\n`);
  }
}
