import { constants } from "node:os";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { type Moment, momentOf } from "../../domain/transcript/moment.ts";
import { recordingFolder } from "../../home/layout.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type CastFacts, castLines } from "../../recording/cast.ts";
import { recordedFrames, withMarkers } from "../../recording/frames.ts";

/** The recording of a session's terminal as an asciicast, with a marker at each turn and tool call. */
export async function* exportCast(rollcall: Rollcall, id: string): AsyncIterable<string> {
  const session = await rollcall.get(id);
  const folder = recordingFolder(rollcall.context.home, id);
  const [first] = recordedFrames(folder);
  // Turns and tool calls alone would be markers on an empty screen.
  if (first === undefined)
    throw new RollcallError("not_offered", `No recording of a terminal is kept of session ${id}.`, {
      hint: `\`rollcall replay ${id}\` plays its transcript, \`rollcall export ${id} --format html\` has it on a page.`,
    });
  yield* castLines(withMarkers(recordedFrames(folder), await momentsOf(rollcall, id)), factsOf(session));
}

/** The turns and tool calls of a session. */
export async function momentsOf(rollcall: Rollcall, id: string): Promise<Moment[]> {
  const moments: Moment[] = [];
  for await (const event of rollcall.events(id)) {
    const moment = momentOf(event);
    if (moment) moments.push(moment);
  }
  return moments;
}

function factsOf(session: SessionRecord): CastFacts {
  const { name, id, about, exitCode, exitSignal, endedAt } = session;
  const signal = exitSignal === null ? undefined : constants.signals[exitSignal as NodeJS.Signals];
  const status = exitCode ?? (signal === undefined ? null : 128 + signal);
  const exit = status === null || endedAt === null ? null : { atMs: Date.parse(endedAt), status };
  return { title: name ?? id, command: about, exit };
}
