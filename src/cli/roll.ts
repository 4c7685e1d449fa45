import type { SessionRecord } from "../domain/session.ts";
import { isLive } from "../domain/state.ts";
import { shortId } from "./format.ts";
import { withRollcall } from "./open.ts";
import type { Output } from "./output.ts";
import { usage } from "./parse.ts";
import { sessionColumns } from "./show.ts";
import { paint, table } from "./table.ts";
import { printable } from "./text.ts";

const OPTIONS = ["--json", "--all"];

/** The roll: sessions that live, those waiting for a person first. */
export async function showRoll(args: readonly string[], output: Output): Promise<number> {
  const unknown = args.find((arg) => !OPTIONS.includes(arg));
  if (unknown !== undefined) throw usage(`${unknown} is not an option of the roll.`, "");
  return withRollcall(output, async (rollcall) => {
    const all = await Array.fromAsync(rollcall.list({ activeOnly: !args.includes("--all") }));
    const sessions = [...all.filter(isWaiting), ...all.filter((session) => !isWaiting(session))];
    if (output.isJson) output.json({ sessions, nextCursor: null });
    else output.line(describeRoll(sessions, output));
    return 0;
  });
}

function describeRoll(sessions: readonly SessionRecord[], output: Output): string {
  const waiting = sessions.filter(isWaiting);
  const live = sessions.filter(({ state }) => isLive(state)).length;
  const count = [
    `${sessions.length} ${live < sessions.length ? "" : "live "}${sessions.length === 1 ? "session" : "sessions"}`,
    ...(live < sessions.length ? [`${live} of them live`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} waiting for you`] : []),
  ].join(", ");
  if (sessions.length === 0) return `No live sessions.\n${nextSteps(output.width)}`;
  const lines = table(sessions, sessionColumns(Date.now()), { width: output.width, header: true });
  const questions = waiting.map(
    (session) => `  ${shortId(session.id)} asks: ${printable(questionOf(session))}`,
  );
  return [
    paint("bold", count),
    "",
    ...lines,
    ...(questions.length > 0 ? ["", ...questions] : []),
    "",
    nextSteps(output.width),
  ].join("\n");
}

const NEXT = [
  "New record: rollcall create --agent NAME",
  "One session: rollcall get ID",
  "Everything: rollcall list",
  "Help: rollcall --help",
];

function nextSteps(width: number): string {
  const line = NEXT.join("   ");
  return line.length <= width ? line : NEXT.join("\n");
}

function isWaiting({ state }: SessionRecord): boolean {
  return state === "waiting_input";
}

function questionOf({ waiting }: SessionRecord): string {
  return waiting?.question ?? waiting?.tool ?? waiting?.for ?? "input";
}
