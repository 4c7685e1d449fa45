import { RollcallError } from "../../domain/errors.ts";
import { parseDuration } from "../../domain/time.ts";
import { recordingFolder } from "../../home/layout.ts";
import { shortId } from "../../present/format.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Frame, recordedFrames, withMarkers } from "../../recording/frames.ts";
import { momentsOf } from "../export/cast.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { withSession } from "../open.ts";
import { printFrames } from "../replay/print-frames.ts";
import { Replay } from "../replay/replay.ts";
import { Timeline } from "../replay/timeline.ts";
import { transcriptFrames } from "../replay/transcript-frames.ts";
import { printLogs } from "../sessions/logs.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Plays what the terminal of a session showed, or the transcript of one without a terminal. In a pipe it prints the text from --from on at once.\nKeys: space pauses, left and right seek 5 seconds, [ and ] go to the turn or tool call before and after, + and - change the speed, Home and End go to the beginning and the end, q leaves.",
  options: {
    speed: { value: "N", about: "so many times as fast (1)" },
    from: { value: "PLACE", about: "begin there: a time such as 1m30s, turn:3, or entry:41 (a seq)" },
    "idle-limit": { value: "DURATION", about: "silence takes at most so long (2s)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall replay build", "all that is kept, silence cut short"],
    ["rollcall replay build --from turn:3 --speed 4", "the third turn, quickly"],
    ["rollcall replay build --json", "its length and markers, for a program"],
  ],
  async run(input, output) {
    const speed = speedOf(optionOf(input, "speed") ?? "1");
    const idleLimitMs = durationOf(optionOf(input, "idle-limit") ?? "2s", "--idle-limit");
    const from = optionOf(input, "from") ?? "0s";
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const { source, frames } = await framesOf(rollcall, id, output);
      const timeline = new Timeline(withMarkers(frames, await momentsOf(rollcall, id)), idleLimitMs);
      const fromMs = await placeOf(rollcall, id, timeline, from);
      if (output.isJson) output.json({ sessionId: id, source, ...described(timeline) });
      else if (!output.isTerminal && source === "recording" && fromMs === 0)
        await printLogs(rollcall, output, id);
      else if (!output.isTerminal) printFrames(timeline, output, { source, fromMs });
      else {
        const { name } = await rollcall.get(id);
        return new Replay(timeline, output, { name: name ?? shortId(id), speed, fromMs }).run();
      }
      return 0;
    });
  },
};

async function framesOf(
  rollcall: Rollcall,
  id: string,
  output: Output,
): Promise<{ source: "recording" | "transcript"; frames: Frame[] }> {
  const recorded = [...recordedFrames(recordingFolder(rollcall.context.home, id))];
  if (recorded.some(({ kind }) => kind === "o"))
    return { source: "recording", frames: hide(recorded, output) };
  const size = { cols: output.isTerminal ? output.width : 80, rows: (process.stdout.rows ?? 25) - 1 };
  const frames = await transcriptFrames(rollcall.entries(id), size);
  if (frames.length > 0) return { source: "transcript", frames: hide(frames, output) };
  throw new RollcallError("not_offered", `Neither a recording nor a transcript is kept of session ${id}.`, {
    hint: `\`rollcall events ${id}\` shows what happened to it.`,
  });
}

function hide(frames: readonly Frame[], output: Output): Frame[] {
  return frames.map((frame) => (frame.kind === "o" ? { ...frame, text: output.hide(frame.text) } : frame));
}

function described({ durationMs, markers }: Timeline): object {
  return {
    durationMs,
    markers: markers.map(({ ms, moment: { kind, title, eventId, seq } }) => ({
      ms,
      kind,
      title,
      eventId,
      seq,
    })),
  };
}

function speedOf(text: string): number {
  const speed = /^\d{1,3}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (speed > 0) return speed;
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a speed.`, {
    hint: "Give a number such as 2 or 0.5.",
  });
}

function durationOf(text: string, option: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a duration for ${option}.`, {
    hint: "Write it like 500ms, 2s or 1m30s.",
  });
}

/** On the time of the replay. */
async function placeOf(rollcall: Rollcall, id: string, timeline: Timeline, from: string): Promise<number> {
  const [, what, number] = /^(turn|entry)[ :](\d{1,9})$/.exec(from) ?? [];
  if (what === undefined) {
    const ms = parseDuration(from);
    if (ms !== undefined) return ms;
    throw new RollcallError("bad_input", `${JSON.stringify(from)} is not a place for --from.`, {
      hint: "Write a time like 1m30s, a turn like turn:3, or an entry like entry:41.",
    });
  }
  if (what === "turn") {
    const marker = timeline.markers.find(({ moment }) => moment.title === `turn ${number}`);
    if (marker) return marker.ms;
  } else {
    for await (const { seq, at } of rollcall.entries(id, { after: Number(number) - 1, limit: 1 }))
      if (seq === Number(number)) return timeline.placeOf(Date.parse(at));
  }
  throw new RollcallError("bad_input", `Session ${id} has no ${what} ${number}.`, {
    hint: `\`rollcall replay ${id} --json\` lists its markers.`,
  });
}
