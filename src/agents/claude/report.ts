import { type Asked, AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";
import type { Notes, Seen } from "../agent.ts";
import { askedBy, isAbout } from "./asked.ts";
import { callsIn } from "./notes.ts";
import { asking, ended, ready, working } from "./signals.ts";

type Fields = Readonly<Record<string, string>>;

/** The provider lets this account do nothing more for a while. */
const LIMIT = /\b(?:usage|hour|weekly|session|spending) limit\b|\bhit your\b.*\blimit\b/iu;

/** Its words for what it says nothing more about. */
const NAMELESS = ["dialog open", "permission prompt", "input needed"];

/** What it says by OSC 7501. Reports with an `id` are of its sub-agents; what those ask is told without one. */
export function report(fields: Fields, notes: Notes): Seen {
  const { app, id, state } = fields;
  if (app !== "claude-code" || id !== undefined) return {};
  const msg = textIn(fields.msg);
  switch (state) {
    case "idle":
      return idle(notes);
    case "working":
      return { signal: working("terminal", "report_working", msg), notes: { ...TALKING, cleared: "" } };
    case "done":
      return { signal: ended("terminal", "report_done", "good"), notes: OVER, awaits: "turn" };
    case "error":
      return { signal: failed(msg), notes: OVER, awaits: "turn" };
    case "blocked":
      return fields.kind === "auth" ? loggedOut(msg) : blocked(fields.kind, msg, notes);
    default:
      return {};
  }
}

/** It reports: from now on its live file is needed only for what reports leave out. */
const TALKING: Notes = { reports: "yes", blocked: "" };
const OVER: Notes = { ...TALKING, calls: "" };

/** A turn that ends without `done` was interrupted, unless it was a command that began another conversation. */
function idle({ reports, cleared, blocked: asked, file }: Notes): Seen {
  // Its file has told of a turn already: this is what it said before.
  if (reports === undefined && file === "busy") return { notes: OVER };
  const rule = "report_idle";
  if (cleared === "yes") return { signal: ready("terminal", rule), notes: { ...OVER, cleared: "" } };
  if (asked) return { signal: ended("terminal", rule, "aborted"), notes: OVER };
  return { signal: ready("terminal", rule, "aborted"), notes: OVER };
}

function failed(msg: string | null): Signal {
  if (msg === null || !LIMIT.test(msg)) return ended("terminal", "report_error", "failed", msg);
  return asking("terminal", "report_limit", { ...AT_PROMPT, for: "limit", question: msg }, msg);
}

/** It says that it is blocked, but stands at its prompt: nothing goes on before someone has logged in. */
function loggedOut(msg: string | null): Seen {
  return { signal: ended("terminal", "report_auth", "failed", msg), notes: OVER, awaits: "turn" };
}

/** What is asked for in full comes by a hook, before this or after it. */
function blocked(kind: string | undefined, msg: string | null, notes: Notes): Seen {
  const calls = callsIn(notes);
  const call = kind === undefined ? undefined : calls.find((one) => isAbout(msg ?? "", one));
  const asked = call ? askedBy(call) : askedIn(kind, msg, notes);
  const rest = calls.filter((one) => one !== call);
  const isHookToCome = !call && asked.for !== "dialog" && notes.hooks === "yes";
  return {
    ...(isHookToCome ? { awaits: "hook" } : {}),
    signal: asking("terminal", `report_${asked.for}`, asked, msg),
    notes: {
      reports: "yes",
      blocked: msg ?? "something",
      told: call ? "yes" : "",
      calls: rest.length === 0 ? "" : JSON.stringify(rest),
    },
  };
}

/** Where hooks speak, they tell the rest in a moment, in its own words. */
function askedIn(kind: string | undefined, msg: string | null, { hooks }: Notes): Asked {
  const what = kind === "permission" || kind === "question" ? kind : "dialog";
  const isTold = msg === null || NAMELESS.includes(msg) || (what !== "dialog" && hooks === "yes");
  return { ...AT_PROMPT, for: what, question: isTold ? null : msg };
}

function textIn(base64: string | undefined): string | null {
  return base64 === undefined || base64 === "" ? null : Buffer.from(base64, "base64").toString();
}
