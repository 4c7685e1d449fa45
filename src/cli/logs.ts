import { setTimeout as sleep } from "node:timers/promises";
import { plainText } from "../domain/plain-text.ts";
import { isLive } from "../domain/state.ts";
import { toWire } from "../domain/wire.ts";
import { recordingFolder } from "../record/config.ts";
import { RecordingReader } from "../record/recording-reader.ts";
import { isStateMark } from "../record/recording-segments.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { interrupted } from "./interrupted.ts";
import type { Output } from "./output.ts";

/** How far each kind of log was printed. */
interface Printed {
  readonly recording: RecordingReader;
  hasTerminal: boolean;
  seq: number;
}

function nothingPrinted(rollcall: Rollcall, id: string): Printed {
  const recording = new RecordingReader(recordingFolder(rollcall.context.home, id));
  return { recording, hasTerminal: false, seq: 0 };
}

export async function printLogs(
  rollcall: Rollcall,
  output: Output,
  id: string,
  printed: Printed = nothingPrinted(rollcall, id),
): Promise<void> {
  printRecording(output, printed);
  await printEntries(rollcall, output, id, printed);
}

/** Until the session ends, or someone presses Ctrl-C. */
export async function followLogs(rollcall: Rollcall, output: Output, id: string): Promise<void> {
  const printed = nothingPrinted(rollcall, id);
  const signal = interrupted();
  while (!signal.aborted) {
    const { state } = await rollcall.get(id);
    await printLogs(rollcall, output, id, printed);
    if (!isLive(state)) return;
    await sleep(FOLLOW_MS, undefined, { signal }).catch(() => {});
  }
}

/** The terminal's bytes are no events; they are looked at as often as a person can read. */
const FOLLOW_MS = 200;

function printRecording(output: Output, printed: Printed): void {
  for (const [seconds, kind, text] of printed.recording.next()) {
    printed.hasTerminal = true;
    if (output.isJson) output.text(`${JSON.stringify({ seconds, kind, text })}\n`);
    else if (kind === "o") output.text(plainText(text));
    else if (kind === "m" && !isStateMark(text)) output.text(`[${text}]\n`);
  }
}

/** Of a session without a terminal: its output is its transcript. */
async function printEntries(rollcall: Rollcall, output: Output, id: string, printed: Printed): Promise<void> {
  if (printed.hasTerminal) return;
  for await (const entry of rollcall.entries(id, { after: printed.seq })) {
    printed.seq = entry.seq;
    if (output.isJson) output.text(`${JSON.stringify(toWire(entry))}\n`);
    else if (entry.role === "assistant" && entry.text !== null)
      output.text(entry.text.endsWith("\n") ? entry.text : `${entry.text}\n`);
  }
}
