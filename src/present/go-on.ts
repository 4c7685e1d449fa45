import { isFinal } from "../domain/session/phase.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";

/** How a person goes on with a session, and the command for it. */
export interface GoOn {
  readonly how: "send" | "attach" | "continue" | "resume" | "fork" | "open";
  readonly command: string;
}

type Told = Pick<
  SessionRow,
  "state" | "phase" | "waiting" | "kind" | "origin" | "nativeId" | "carried" | "id"
>;

/** Resumes it, sends to it where it lives, or opens what is kept of it, at an entry, where neither can be. */
export function goOn(session: Told, seq: number | null, who: string = session.id): GoOn {
  const how = howToGoOn(session);
  return { how, command: COMMANDS[how](who, seq) };
}

const COMMANDS: Readonly<Record<GoOn["how"], (who: string, seq: number | null) => string>> = {
  send: (who) => `rollcall send ${who} TEXT`,
  attach: (who) => `rollcall attach ${who}`,
  continue: (who) => `rollcall continue ${who}`,
  resume: (who) => `rollcall resume ${who}`,
  fork: (who) => `rollcall fork ${who}`,
  open: (who, seq) => (seq === null ? `rollcall get ${who}` : `rollcall replay ${who} --from entry:${seq}`),
};

function howToGoOn({ state, phase, waiting, kind, origin, nativeId, carried }: Told): GoOn["how"] {
  if (isLive(state)) {
    if (origin !== "started") return "open";
    if (state === "paused") return "continue";
    if (waiting?.for === "prompt") return "send";
    return kind === "interactive" ? "attach" : "open";
  }
  if (nativeId === null || origin === "subagent") return "open";
  return (carried === null && origin !== "imported") || isFinal(phase) ? "fork" : "resume";
}
